import type { Json, JsonObject } from '@windlass/foundation';
import { Coordinator } from '../coordinator/coordinator.js';
import type { Claim, WorkerOutcome } from '../coordinator/messages.js';
import { reportError } from '../engine/error-report.js';
import { defaultPolicy, type EnginePolicy } from '../engine/policy.js';
import type { StepPhase, StepRecord } from '../engine/records.js';
import { compilePlan } from '../plan/compile.js';
import type { Plan } from '../plan/plan.js';
import type { WakeUp, OperationTransition } from '../ports.js';
import { ExpandInto, NotThere, Present, type ApplyResult } from '../worker/action.js';
import { Crash, MemoryJournal } from './memory-journal.js';
import { unbounded } from './unbounded.js';

/** An action of the simulation. */
export interface SimulatedAction {
  check?(input: JsonObject): boolean | Present;
  apply(input: JsonObject): ApplyResult;
  undo?(input: JsonObject): void;
}

/** A point at which the simulation may die; each run has a fixed number of points. */
export type CrashPoint = 'before-commit' | 'after-commit' | 'before-apply' | 'after-effect' | 'after-result';

const isCrash = (error: unknown): boolean =>
  error instanceof Crash || (error instanceof AggregateError && error.errors.every(isCrash));

/** The real engine with journal, wake-ups and workers in memory, on a clock that advances only when nothing else moves. */
export class Simulation {
  readonly journal = new MemoryJournal();
  readonly wakeUps: WakeUp[] = [];
  readonly moves: OperationTransition[] = [];
  readonly inlineRuns: { stepId: string; phase: StepPhase; input: JsonObject }[] = [];
  readonly coordinator: Coordinator;
  /** The number of passed crash points: the process dies when it reaches `crashAt`. */
  points = 0;
  crashAt: number | undefined;
  readonly passed: CrashPoint[] = [];

  constructor(
    readonly plan: Plan,
    readonly actions: Readonly<Record<string, SimulatedAction>>,
    readonly policy: EnginePolicy = defaultPolicy,
    readonly sources: Readonly<Record<string, Json>> = {},
  ) {
    this.journal.atCommit = (when) => this.#point(`${when}-commit`);
    this.coordinator = new Coordinator({
      journal: this.journal,
      policy,
      wakeUpSender: {
        notify: (wakeUps) => {
          this.wakeUps.push(...wakeUps);
          return Promise.resolve();
        },
      },
      owner: {
        ...unbounded,
        plan: () => Promise.resolve(compilePlan(this.plan)),
        source: (_tx, source) => Promise.resolve(this.sources[source]),
        runInline: (_tx, step, phase, input) => this.#inline(step, phase, input),
        moved: (_tx, move) => {
          this.moves.push(structuredClone(move));
          return Promise.resolve();
        },
      },
    });
  }

  /** Runs until nothing moves any more, sweeping and letting time pass when no wake-up is left. */
  async run(operationId: string, limit = 400): Promise<void> {
    for (let turn = 0; turn < limit; turn++) {
      if (this.#rests(operationId)) return;
      const wakeUp = this.wakeUps.shift();
      try {
        if (wakeUp !== undefined) await this.#work(wakeUp);
        else {
          this.journal.pass(1_100);
          await this.coordinator.sweep();
        }
      } catch (error) {
        if (!isCrash(error)) throw error;
        // The dead process's memory is gone: wake-ups may be heard again or never.
        this.wakeUps.length = 0;
      }
    }
    throw new Error(`the operation did not come to rest in ${limit} turns: ${JSON.stringify(this.summary(operationId))}`);
  }

  summary(operationId: string): Record<string, string> {
    const steps = this.journal.steps.get(operationId) ?? [];
    return {
      operation: this.journal.operations.get(operationId)?.status ?? 'unknown',
      ...Object.fromEntries(steps.map((step) => [step.id, `${step.phase} ${step.state}`])),
    };
  }

  status(operationId: string): string | undefined {
    return this.journal.operations.get(operationId)?.status;
  }

  #rests(operationId: string): boolean {
    return ['completed', 'rolled-back', 'abandoned', 'suspended'].includes(this.status(operationId) ?? '');
  }

  #point(point: CrashPoint): void {
    this.passed.push(point);
    if (this.points++ === this.crashAt) throw new Crash(point);
  }

  async #work(wakeUp: WakeUp): Promise<void> {
    const step = this.journal.step(wakeUp.operationId, wakeUp.stepId);
    const actions = step === undefined ? [] : [step, ...(step.traits.look === undefined ? [] : [step.traits.look])];
    const reply = await this.coordinator.claim({
      ...wakeUp,
      worker: 'simulated',
      actions: actions.map(({ action, version }) => `${action}@${version}`),
    });
    if (!reply.granted) return;
    const { claim } = reply;
    this.#point('before-apply');
    const outcome = this.#perform(claim);
    this.#point('after-effect');
    await this.coordinator.result({ operationId: claim.operationId, stepId: claim.stepId, epoch: claim.epoch, outcome });
    this.#point('after-result');
  }

  #perform(claim: Claim): WorkerOutcome {
    const action = this.actions[claim.action];
    if (action === undefined) throw new Error(`no simulated action ${claim.action}`);
    try {
      if (claim.phase === 'undo') {
        action.undo?.(claim.input);
        return { kind: 'done' };
      }
      const there = action.check?.(claim.input) ?? false;
      if (there instanceof Present) return { kind: 'done', ...(there.output === undefined ? {} : { output: there.output }) };
      if (there) return { kind: 'done' };
      const result = action.apply(claim.input);
      if (result instanceof ExpandInto) return { kind: 'expand', plan: result.plan };
      if (result instanceof NotThere) return { kind: 'released' };
      return { kind: 'done', ...(result === undefined ? {} : { output: result }) };
    } catch (error) {
      if (error instanceof Crash) throw error;
      return { kind: 'failed', error: reportError(error), retry: { attempts: 3, backoff: 1_000 } };
    }
  }

  #inline(step: StepRecord, phase: StepPhase, input: JsonObject): Promise<Json | undefined> {
    this.inlineRuns.push({ stepId: step.id, phase, input });
    return Promise.resolve(undefined);
  }
}
