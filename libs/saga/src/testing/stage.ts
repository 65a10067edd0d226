import type { Json, JsonObject } from '@windlass/foundation';
import { Coordinator, type CoordinatorPorts } from '../coordinator/coordinator.js';
import type { ClaimReply, WorkerOutcome } from '../coordinator/messages.js';
import type { ErrorReport } from '../engine/error-report.js';
import type { RetryPolicy, Verdict } from '../engine/outcome.js';
import { defaultPolicy, type EnginePolicy } from '../engine/policy.js';
import type { OperationRecord, StepPhase, StepRecord } from '../engine/records.js';
import { compilePlan } from '../plan/compile.js';
import type { Plan, PlanNode, StepNode } from '../plan/plan.js';
import type { WakeUp, OperationTransition, OperationOwner } from '../ports.js';
import { MemoryJournal } from './memory-journal.js';
import { unbounded } from './unbounded.js';

/** A step of the service `maker` whose action is `make`. */
export const make = (id: string, extra: Partial<StepNode> = {}): StepNode => ({
  kind: 'step',
  id,
  action: 'make',
  version: 1,
  service: 'maker',
  input: {},
  ...extra,
});

/** A step that the coordinator runs in its own transaction. */
export const inline = (id: string, extra: Partial<StepNode> = {}): StepNode =>
  make(id, { action: 'record', service: 'inline', traits: { inline: true, undoable: false }, ...extra });

/** A policy without a second attempt. */
export const once: RetryPolicy = { attempts: 1, backoff: 0 };

/** An error that no retry helps with. */
export const terminal: ErrorReport = { kind: 'terminal', code: 'test.broken', detail: 'it is broken', status: 500 };
/** An error after which a step is tried again. */
export const transient: ErrorReport = { kind: 'transient', code: 'test.busy', detail: 'it is busy', status: 503 };

/**
 * The real coordinator over a journal in memory, moved by a test, which claims, reports, and lets time pass.
 * Two coordinators share the journal, as two replicas do.
 */
export class Stage {
  readonly journal = new MemoryJournal();
  readonly wakeUps: WakeUp[] = [];
  readonly moves: OperationTransition[] = [];
  readonly inlineRuns: { stepId: string; phase: StepPhase; input: JsonObject }[] = [];
  readonly policy: EnginePolicy;
  readonly #ports: CoordinatorPorts;
  readonly coordinator: Coordinator;
  readonly other: Coordinator;
  /** The values of the owner's sources, which a test may change at any time. */
  readonly sources = new Map<string, Json>();
  /** The work of inline steps, by the step's id; nothing by default. */
  readonly inlineWork = new Map<string, () => Json | undefined>();
  /** The notifications of the engine, in words: `lost s 1`, `ended completed`. */
  readonly told: string[] = [];
  /** A text that no error may quote. */
  hidden: string | undefined;

  constructor(
    private readonly plan: Plan | (() => Plan),
    policy: Partial<EnginePolicy> = {},
  ) {
    this.policy = { ...defaultPolicy, ...policy };
    this.#ports = {
      journal: this.journal,
      policy: this.policy,
      wakeUpSender: { notify: (wakeUps: readonly WakeUp[]) => Promise.resolve(void this.wakeUps.push(...wakeUps)) },
      owner: this.#owner(),
      onlooker: {
        ended: ({ status }) => void this.told.push(`ended ${status}`),
        lost: ({ id, epoch, owner }) => void this.told.push(`lost ${id} ${epoch} of ${owner ?? 'nobody'}`),
      },
    };
    this.coordinator = this.started();
    this.other = this.started();
  }

  static of(root: PlanNode, policy: Partial<EnginePolicy> = {}): Stage {
    return new Stage({ root }, policy);
  }

  /** Starts one more coordinator, which has seen nothing yet. */
  started(): Coordinator {
    return new Coordinator(this.#ports);
  }

  /** Accepts an operation and begins it. */
  async begin(id = 'op', record: Partial<OperationRecord> = {}): Promise<void> {
    this.journal.accept({ id, ...record });
    await this.coordinator.begin(id);
  }

  operation(id = 'op'): OperationRecord {
    const record = this.journal.operations.get(id);
    if (record === undefined) throw new Error(`there is no operation ${id}`);
    return record;
  }

  step(stepId: string, operationId = 'op'): StepRecord {
    const record = this.journal.step(operationId, stepId);
    if (record === undefined) throw new Error(`operation ${operationId} has no step ${stepId}`);
    return record;
  }

  /** A step's phase and state: `do ready`, `undo done`. */
  state(stepId: string, operationId = 'op'): string {
    const { phase, state } = this.step(stepId, operationId);
    return `${phase} ${state}`;
  }

  /** The ids of the steps that a worker could claim now, in the plan's order. */
  ready(operationId = 'op'): string[] {
    return (this.journal.steps.get(operationId) ?? []).filter(({ state }) => state === 'ready').map(({ id }) => id);
  }

  /** Claims a step with the epoch of a wake-up sent now. */
  claim(stepId: string, { operationId = 'op', epoch = this.step(stepId, operationId).epoch } = {}): Promise<ClaimReply> {
    const { service, action, version } = this.step(stepId, operationId);
    return this.coordinator.claim({ operationId, stepId, epoch, service, worker: 'w1', actions: [`${action}@${version}`] });
  }

  /** Reports for the claim of this epoch, the last one by default. */
  async say(
    stepId: string,
    outcome: WorkerOutcome,
    { operationId = 'op', epoch = this.step(stepId, operationId).epoch } = {},
  ): Promise<Verdict> {
    return (await this.coordinator.result({ operationId, stepId, epoch, outcome })).verdict;
  }

  /** Claims a step and reports the outcome. @throws where the step can't be claimed */
  async run(stepId: string, outcome: WorkerOutcome = { kind: 'done' }, operationId = 'op'): Promise<void> {
    const reply = await this.claim(stepId, { operationId });
    if (!reply.granted) throw new Error(`${stepId} was not granted: ${reply.reason}`);
    await this.say(stepId, outcome, { operationId });
  }

  fail(stepId: string, error: ErrorReport = terminal, retry: RetryPolicy = once): Promise<void> {
    return this.run(stepId, { kind: 'failed', error, retry });
  }

  /** Lets time pass, and sweeps. */
  async pass(milliseconds: number): Promise<void> {
    this.journal.pass(milliseconds);
    await this.coordinator.sweep();
  }

  #owner(): OperationOwner {
    return {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan(typeof this.plan === 'function' ? this.plan() : this.plan)),
      source: (_tx, source) => Promise.resolve(this.sources.get(source)),
      runInline: (_tx, step, phase, input) => {
        this.inlineRuns.push({ stepId: step.id, phase, input });
        return Promise.resolve(this.inlineWork.get(step.id)?.());
      },
      concealed: (_tx, error) =>
        Promise.resolve({
          ...error,
          detail: this.hidden === undefined ? error.detail : error.detail.replaceAll(this.hidden, '***'),
        }),
      moved: (_tx, move) => Promise.resolve(void this.moves.push(structuredClone(move))),
    };
  }
}
