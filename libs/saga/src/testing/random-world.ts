import type { JsonObject } from '@windlass/foundation';
import { Coordinator } from '../coordinator/coordinator.js';
import type { Claim, WorkerOutcome } from '../coordinator/messages.js';
import { defaultPolicy, limitsByPrefix, type EnginePolicy } from '../engine/policy.js';
import type { StepRecord } from '../engine/records.js';
import { holdsPlaces } from '../engine/step-records.js';
import { compilePlan } from '../plan/compile.js';
import type { Plan } from '../plan/plan.js';
import type { WakeUp, OperationOwner } from '../ports.js';
import { Crash, MemoryJournal } from './memory-journal.js';
import { unbounded } from './unbounded.js';

const ACTIONS = ['make@1', 'graft@1', 'seek@1'];

/** Choices by a seed (mulberry32), the same each time. */
export class RandomTape {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number below the bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from.length === 0 ? undefined : from[this.below(from.length)];
  }
}

/** A claim of a worker that may be slow, paused, or dead. */
interface Run {
  claim: Claim;
  /** The time until which the worker may change things, by its own clock. */
  trustedUntil: number;
  outcome?: WorkerOutcome;
  reported: boolean;
}

/** The probabilities of faults, in percent. */
export interface Trouble {
  transient: number;
  terminal: number;
}

const LIMITS = { host: 1, vim: 2 } as const;

/**
 * The real coordinators over a journal in memory, with workers that are slow, die, come back too late, and report twice. Every promise of the
 * engine is checked at every turn; a broken promise throws.
 */
export class RandomWorld {
  readonly journal = new MemoryJournal();
  readonly things = new Set<string>();
  readonly made: string[] = [];
  readonly policy: EnginePolicy = {
    ...defaultPolicy,
    maxLosses: Number.POSITIVE_INFINITY,
    limitOf: limitsByPrefix(LIMITS),
  };
  trouble: Trouble = { transient: 0, terminal: 0 };
  /** The probability that a commit kills the coordinator, in percent. */
  crashes = 0;
  readonly #wakeUps: WakeUp[] = [];
  readonly #runs: Run[] = [];
  readonly #begun = new Set<string>();
  readonly #coordinators: Coordinator[];

  /** @param grafts plans by the id of the step that returns them */
  constructor(
    readonly plan: Plan,
    readonly grafts: ReadonlyMap<string, Plan>,
    readonly tape: RandomTape,
  ) {
    this.journal.atCommit = (when) => {
      if (this.crashes > 0 && this.tape.below(100) < this.crashes) throw new Crash(when);
    };
    const ports = {
      journal: this.journal,
      policy: this.policy,
      wakeUpSender: { notify: (wakeUps: readonly WakeUp[]) => Promise.resolve(void this.#wakeUps.push(...wakeUps)) },
      owner: this.#owner(),
    };
    this.#coordinators = [new Coordinator(ports), new Coordinator(ports)];
    this.journal.accept({ id: 'op' });
  }

  get status(): string {
    return this.journal.operations.get('op')?.status ?? '';
  }

  get steps(): StepRecord[] {
    return this.journal.steps.get('op') ?? [];
  }

  get coordinator(): Coordinator {
    const coordinator = this.tape.pick(this.#coordinators);
    if (coordinator === undefined) throw new Error('there is no coordinator');
    return coordinator;
  }

  /** Has one thing happen, which the tape chooses. */
  async turn(): Promise<void> {
    const turns = [
      () => this.#answerWakeUp(),
      () => this.#answerWakeUp(),
      () => this.#work(),
      () => this.#work(),
      () => this.#report(),
      () => this.#report(),
      () => this.#renew(),
      () => this.#sweep(this.tape.below(120) / 100),
      () => Promise.resolve(void this.#runs.splice(this.tape.below(this.#runs.length + 1), 1)),
      () => Promise.resolve(void this.#wakeUps.splice(this.tape.below(this.#wakeUps.length + 1), 1)),
    ];
    await survived(turns[this.tape.below(turns.length)] ?? (() => Promise.resolve()));
    this.#checkLimits();
  }

  /** Goes on without further faults until the operation rests. */
  async settle(): Promise<void> {
    this.trouble = { transient: 0, terminal: 0 };
    this.crashes = 0;
    for (let turns = 0; !['completed', 'rolled-back', 'suspended', 'abandoned'].includes(this.status); turns++) {
      if (turns > 3_000) throw new Error(`it does not come to rest: ${JSON.stringify(this.summary())}`);
      if (this.#wakeUps.length > 0) await this.#answerWakeUp();
      else if (this.#runs.some(({ outcome }) => outcome === undefined)) await this.#work();
      else if (this.#runs.length > 0) await this.#report();
      else await this.#sweep(1.1);
      this.#checkLimits();
    }
  }

  summary(): Record<string, string> {
    return { operation: this.status, ...Object.fromEntries(this.steps.map((step) => [step.id, `${step.phase} ${step.state}`])) };
  }

  #owner(): OperationOwner {
    return {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan(this.plan)),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    };
  }

  async #answerWakeUp(): Promise<void> {
    const index = this.tape.below(Math.max(1, this.#wakeUps.length));
    const wakeUp = this.#wakeUps[index];
    if (wakeUp === undefined) return;
    // One wake-up of five is delivered once more.
    if (this.tape.below(5) !== 0) this.#wakeUps.splice(index, 1);
    const reply = await this.coordinator.claim({ ...wakeUp, worker: 'w', actions: ACTIONS });
    if (reply.granted) this.#take(reply.claim);
  }

  /** Checks that no claim is begun twice, and begins it. */
  #take(claim: Claim): void {
    const key = `${claim.stepId} ${claim.epoch}`;
    if (this.#begun.has(key)) return;
    this.#begun.add(key);
    this.#checkGrant(claim);
    this.#runs.push({ claim, trustedUntil: this.#now + claim.leaseFor * 0.8, reported: false });
  }

  async #work(): Promise<void> {
    const run = this.tape.pick(this.#runs.filter(({ outcome }) => outcome === undefined));
    if (run === undefined) return;
    if (this.#now >= run.trustedUntil) this.#runs.splice(this.#runs.indexOf(run), 1);
    else run.outcome = this.#perform(run.claim);
    await Promise.resolve();
  }

  async #report(): Promise<void> {
    const run = this.tape.pick(this.#runs.filter(({ outcome }) => outcome !== undefined));
    if (run?.outcome === undefined) return;
    const { operationId, stepId, epoch } = run.claim;
    const before = JSON.stringify(this.steps);
    // Every other worker that is done asks for the next step, and one of four never hears the answer.
    const asks = run.outcome.kind === 'done' && this.tape.below(2) === 0;
    const request = {
      operationId,
      stepId,
      epoch,
      outcome: run.outcome,
      ...(asks ? { next: { worker: 'w', actions: ACTIONS } } : {}),
    };
    const { verdict, next } = await this.coordinator.result(request);
    if (next !== undefined && this.tape.below(4) !== 0) this.#take(next);
    if ((verdict === 'stale' || run.reported) && JSON.stringify(this.steps) !== before)
      throw new Error(`a result of ${stepId} that was ${run.reported ? 'repeated' : 'stale'} changed the journal`);
    run.reported = true;
    // One report of three is sent again.
    if (this.tape.below(3) !== 0) this.#runs.splice(this.#runs.indexOf(run), 1);
  }

  async #renew(): Promise<void> {
    const run = this.tape.pick(this.#runs.filter(({ reported }) => !reported));
    if (run === undefined) return;
    const { operationId, stepId, epoch } = run.claim;
    const sentAt = this.#now;
    // One run of four only waits from now on.
    const waits = this.tape.below(4) === 0 ? { waits: true } : {};
    const { verdict } = await this.coordinator.renew({ operationId, stepId, epoch, ...waits });
    if (verdict === 'journaled') run.trustedUntil = sentAt + this.policy.lease * 0.8;
    else if (run.outcome === undefined) this.#runs.splice(this.#runs.indexOf(run), 1);
  }

  async #sweep(leases: number): Promise<void> {
    this.journal.pass(this.policy.lease * leases);
    await this.coordinator.sweep();
  }

  /** Carries out a step between claim and result: at most one effect, which is checked against the plan's order. */
  #perform(claim: Claim): WorkerOutcome {
    const chance = this.tape.below(100);
    const fails = chance < this.trouble.transient + this.trouble.terminal;
    const kind = chance < this.trouble.transient ? 'transient' : 'terminal';
    const failed: WorkerOutcome = {
      kind: 'failed',
      error: { kind, code: 'world.trouble', detail: 'as the tape says', status: 500 },
      retry: { attempts: 3, backoff: 1_000 },
    };
    // A failure may come before the effect or after it.
    if (fails && this.tape.below(2) === 0) return failed;
    const done = claim.phase === 'undo' ? this.#undo(claim.stepId) : this.#make(claim);
    return fails ? failed : done;
  }

  #make({ stepId, action, input }: Claim): WorkerOutcome {
    this.#checkBefore(stepId, input);
    if (action === 'seek') return this.things.has(stepId) ? { kind: 'done', output: { made: stepId } } : { kind: 'released' };
    if (action === 'graft') {
      const plan = this.grafts.get(stepId);
      if (plan === undefined) throw new Error(`there is no plan for ${stepId}`);
      return { kind: 'expand', plan };
    }
    if (!this.things.has(stepId)) {
      this.things.add(stepId);
      this.made.push(stepId);
    }
    return { kind: 'done', output: { made: stepId } };
  }

  #undo(stepId: string): WorkerOutcome {
    const later = this.#after(stepId).find(({ id }) => this.things.has(id));
    if (later !== undefined) throw new Error(`${stepId} is undone before ${later.id}`);
    this.things.delete(stepId);
    return { kind: 'done' };
  }

  /**
   * Checks that a step is not granted to a second worker while the first may still change things.
   * @throws Error where it was granted
   */
  #checkGrant({ stepId }: Claim): void {
    const holder = this.#runs.find(
      (run) => run.claim.stepId === stepId && run.outcome === undefined && this.#now < run.trustedUntil,
    );
    if (holder !== undefined) throw new Error(`${stepId} was granted while epoch ${holder.claim.epoch} holds it`);
  }

  #checkBefore(stepId: string, input: JsonObject): void {
    for (const before of this.#before(stepId)) {
      const there = before.action === 'make' ? this.things.has(before.id) : before.phase === 'do' && before.state === 'done';
      if (!there) throw new Error(`${stepId} is made before ${before.id}`);
    }
    const { of } = input as { of?: { made?: string } };
    if (of !== undefined && of.made === undefined) throw new Error(`${stepId} was given ${JSON.stringify(input)}`);
  }

  #checkLimits(): void {
    const running = this.steps.filter(holdsPlaces);
    for (const [key, limit] of Object.entries(LIMITS)) {
      const busy = running.filter(({ limitKeys }) => limitKeys.includes(`${key}:1`)).length;
      if (busy > limit) throw new Error(`${busy} steps run under the limit ${key}`);
    }
    const groups = new Map(this.steps.flatMap((step) => step.groups.map(({ id, limit }) => [id, limit] as const)));
    for (const [id, limit] of groups) {
      const busy = this.steps.filter(
        (step) => ['ready', 'running'].includes(step.state) && step.groups.some((group) => group.id === id),
      ).length;
      if (busy > limit) throw new Error(`${busy} steps of the group ${id} run, ${limit} are allowed`);
    }
  }

  /** The steps that must be done before a step: its own predecessors, and those of the steps above it. */
  #before(stepId: string): StepRecord[] {
    const step = this.#step(stepId);
    const own = step.deps.map((dep) => this.#step(dep));
    return step.parentId === null ? own : [...own, ...this.#before(step.parentId)];
  }

  #after(stepId: string): StepRecord[] {
    return this.steps.filter((other) => other.id !== stepId && this.#allBefore(other.id, new Set()).has(stepId));
  }

  #allBefore(stepId: string, seen: Set<string>): Set<string> {
    for (const { id, action } of this.#before(stepId)) {
      if (seen.has(id)) continue;
      seen.add(id);
      this.#allBefore(id, seen);
      // A grafted plan ends before the steps after its hook begin.
      if (action === 'graft') for (const inner of this.steps) if (inner.id.startsWith(`${id}/`)) seen.add(inner.id);
    }
    return seen;
  }

  #step(id: string): StepRecord {
    const step = this.journal.step('op', id);
    if (step === undefined) throw new Error(`there is no step ${id}`);
    return step;
  }

  get #now(): number {
    return this.journal.now.getTime();
  }
}

/** Runs an act that the coordinator may not survive: its death leaves the journal, and no answer. */
async function survived(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const crash = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
    if (!(crash instanceof Crash)) throw error;
  }
}
