import { InvariantError, RequestError } from '@windlass/foundation';
import type { CompiledPlan } from '../plan/compile.js';
import { storableText } from '../plan/storable-text.js';
import { cancelledReport, storable, type ErrorReport } from './error-report.js';
import type { SagaGraph } from './graph.js';
import { Transitions, type MachineEffects } from './transitions.js';
import type { ClaimRefusal, ClaimTerms, Renewal, StepOutcome, Verdict } from './outcome.js';
import type { EnginePolicy } from './policy.js';
import type { AwaitedKind, CancelMode, OperationRecord, StepRecord } from './records.js';
import { fresh, holdsPlaces, isLook, looksFirst } from './step-records.js';
import { isQuarantineKey, mayRunTogether, quarantineKey } from './quarantine.js';

/** Milliseconds by which a clock may go back without having been set. */
const CLOCK_TOLERANCE = 1_000;

/**
 * The rules by which an operation and its steps move: pure, on copies of the rows read under the operation's lock.
 * It knows no clock but `now`, no database, no message. Whoever calls it writes back `effects` in the same transaction.
 */
export class SagaMachine {
  readonly #transitions: Transitions;

  constructor(
    readonly operation: OperationRecord,
    steps: readonly StepRecord[],
    readonly now: Date,
    readonly policy: EnginePolicy,
  ) {
    this.#transitions = new Transitions(operation, steps, now, policy);
  }

  get effects(): MachineEffects {
    return this.#transitions.effects;
  }

  get graph(): SagaGraph {
    return this.#transitions.graph;
  }

  /** Begins an accepted operation with its plan. A second begin changes nothing. */
  begin(plan: CompiledPlan): void {
    if (this.operation.status !== 'accepted') return;
    this.#transitions.insert(plan);
    this.#transitions.become('running');
    if (this.operation.cancel !== null) this.#transitions.stop('suspended');
    this.#transitions.advance();
  }

  /** An accepted operation that could not even be planned. */
  refuse(error: ErrorReport): void {
    if (this.operation.status !== 'accepted') return;
    this.operation.failure = storable(error);
    this.#transitions.become('rolled-back');
  }

  /**
   * Takes a ready step for a worker, or says why not. A worker that has the step's look is given that first, see {@link looksFirst}: it takes no place, and nothing
   * is counted for it.
   */
  claim(stepId: string, claim: ClaimTerms): StepRecord | ClaimRefusal {
    const step = this.graph.find(stepId);
    if (step?.service !== claim.service || step.traits.inline === true) return 'unknown';
    if (step.state === 'running') return 'taken';
    if (step.state !== 'ready') return 'not-ready';
    if (claim.epoch !== step.epoch) return 'stale';
    if (step.nextAttemptAt !== null && step.nextAttemptAt > this.now) return 'pausing';
    const looks = looksFirst(step, claim.actions ?? []);
    const full = looks ? undefined : this.#full(step, claim);
    if (full !== undefined) {
      // What it waits for may have come while it was counted.
      if (!isQuarantineKey(full)) this.effects.refused.add(full);
      this.#transitions.change(step, { blockedOn: full, dispatchBy: this.#transitions.after(this.policy.dispatchWithin) });
      return 'limited';
    }
    // Whoever waited behind it is called by it, where there is a place for another. Those that look were called together.
    if (step.blockedOn !== null && !looks) this.effects.freed.add(step.blockedOn);
    this.#transitions.change(step, {
      state: 'running',
      epoch: step.epoch + 1,
      owner: claim.worker,
      leaseUntil: this.#transitions.after(this.policy.lease),
      attempt: step.resumed ? step.attempt : step.attempt + 1,
      attemptEpoch: step.resumed ? step.attemptEpoch : step.epoch + 1,
      everClaimed: true,
      nextAttemptAt: null,
      dispatchBy: null,
      rungAt: null,
      rings: 0,
      blockedOn: null,
      startedAt: step.startedAt ?? this.now,
      endedAt: null,
      ...(looks ? { waitingEpoch: step.epoch + 1 } : {}),
    });
    if (!looks) for (const key of step.limitKeys) this.#take(key);
    // Another quarantined step may still find a place beside it.
    if (step.losses > 0) this.effects.freed.add(quarantineKey(claim.worker));
    return step;
  }

  /**
   * Prolongs a lease. A forceful cancel is told on this way. A claim that says that it only waits leaves its places to others until its end; of a step that has a
   * look it keeps them, since a claim of such a step that holds none is its look.
   */
  renew(stepId: string, epoch: number, { progress, ...said }: { progress?: string; waits?: boolean } = {}): Renewal {
    const step = this.graph.find(stepId);
    if (step?.state !== 'running' || step.epoch !== epoch) return { verdict: 'stale' };
    const waits = said.waits === true && step.traits.look === undefined;
    if (waits && holdsPlaces(step)) this.effects.left.push(...step.limitKeys);
    this.#transitions.change(step, {
      leaseUntil: this.#transitions.after(this.policy.lease),
      ...(progress === undefined ? {} : { progress: storableText(progress) }),
      ...(waits ? { waitingEpoch: epoch } : {}),
    });
    const ended = this.operation.status === 'stopping' && this.operation.cancel === 'FORCEFUL';
    return { verdict: 'journaled', ...(ended ? { cancel: 'FORCEFUL' } : {}) };
  }

  /** Journals what a worker says of its claim. The same words twice are answered the same; an older claim's are refused. */
  result(stepId: string, epoch: number, outcome: StepOutcome): Verdict {
    const step = this.graph.find(stepId);
    if (step === undefined) return 'stale';
    if (step.resultEpoch === epoch) return 'journaled';
    if (step.state !== 'running' || step.epoch !== epoch) return 'stale';
    this.#free(step);
    const { behind } = step.traits.look ?? {};
    if (behind !== undefined && outcome.kind === 'done' && holdsPlaces(step)) this.effects.made.add(behind);
    this.#transitions.change(step, { resultEpoch: epoch, owner: null, leaseUntil: null, losses: 0 });
    this.#settle(step, outcome);
    this.#transitions.advance();
    return 'journaled';
  }

  /**
   * The step that a result, and the inline steps behind it, have made ready and that its worker may go on with, if there is one: of the same service, never claimed,
   * and under no limit that the step which has ended was not under. So it takes the places that have just become free, and nothing needs to be counted; unless that
   * step only waited or looked ({@link waited}), and held none. A step that this worker looks for first needs no place.
   * @param notified how many wake-ups were to be sent before the result
   */
  following(ended: StepRecord, actions: readonly string[], notified: number): StepRecord | undefined {
    return this.effects.notify
      .slice(notified)
      .find(
        (step) =>
          step.state === 'ready' &&
          step.service === ended.service &&
          step.startedAt === null &&
          step.nextAttemptAt === null &&
          actions.includes(`${step.action}@${step.version}`) &&
          (looksFirst(step, actions) ||
            step.limitKeys.every((key) => ended.limitKeys.includes(key) || this.policy.limitOf(key) === undefined)),
      );
  }

  /** Whether a step's claim of this epoch has held no places when it ended. */
  waited({ waitingEpoch }: StepRecord, epoch: number): boolean {
    return waitingEpoch === epoch;
  }

  /** What a worker holds since the result of a step was journaled, if it went on with {@link following}: started in the same transaction. */
  followed({ service, endedAt, state }: StepRecord, worker: string): StepRecord | undefined {
    if (state !== 'done' || endedAt === null) return undefined;
    return this.graph.steps.find(
      (step) =>
        step.state === 'running' &&
        step.owner === worker &&
        step.service === service &&
        step.attemptEpoch === step.epoch &&
        step.startedAt?.getTime() === endedAt.getTime(),
    );
  }

  /** The inline step to be run now in this transaction, if any. */
  nextInline(): StepRecord | undefined {
    return this.graph.steps.find((step) => step.traits.inline === true && step.state === 'ready');
  }

  /** Says how the inline step went. */
  inlineResult(step: StepRecord, outcome: { kind: 'done' } | { kind: 'failed'; error: ErrorReport }): void {
    const { now } = this;
    this.#transitions.change(step, {
      everClaimed: true,
      startedAt: step.startedAt ?? now,
      epoch: step.epoch + 1,
      attempt: step.attempt + 1,
    });
    if (outcome.kind === 'done') this.#transitions.finish(step);
    else this.#transitions.fail(step, outcome.error);
    this.#transitions.advance();
  }

  /**
   * Looks after what nobody speaks of: leases that ended, wake-ups unheard, steps nobody claims.
   * @param isUp whether a time of the step's record is up: not `now` decides, since the database's clock may have jumped
   */
  sweep(isUp: (step: StepRecord, kind: AwaitedKind) => boolean): void {
    for (const step of this.graph.steps) {
      if (step.state === 'running' && isUp(step, 'lease')) this.#lose(step);
      else if (step.state === 'ready' && step.traits.inline !== true) this.#remind(step, isUp);
    }
    this.#transitions.advance();
  }

  /**
   * FAILED_TEMP, and a person says: go on. Done steps are checked again, failed ones get fresh attempts. What came before a pivot that is done is not
   * touched: what it was done to may be gone with the pivot.
   */
  retry(): void {
    this.#require('retry', this.operation.status === 'suspended');
    // What was made of something that a roll-back has begun to take away is of no use: it is made anew, not looked for.
    const anew = this.graph.after(this.graph.steps.filter(({ phase, attempt }) => phase === 'undo' && attempt > 0));
    const pivot = this.claimedPivot();
    const settled = pivot?.state === 'done' ? this.graph.before(pivot) : new Set();
    for (const step of this.graph.steps) if (!settled.has(step)) this.#resetForRetry(step, anew.has(step));
    this.operation.failure = null;
    this.operation.cancel = null;
    this.#transitions.become('running');
    this.#transitions.advance();
  }

  /**
   * FAILED_TEMP, and a person says: take it back.
   * @throws RequestError 409 in another state, or past the pivot
   */
  rollback(): void {
    this.#require('rollback', this.operation.status === 'suspended');
    const pivot = this.claimedPivot();
    if (pivot !== undefined) {
      throw new RequestError(
        409,
        'operation.past-pivot',
        `the operation can't be rolled back: "${pivot.id}" has begun, and what it does can't be taken back. Retry it, or mark it as failed`,
      );
    }
    this.#transitions.startRollback();
    this.#transitions.advance();
  }

  /** The step beyond which nothing can be rolled back, if it was ever claimed. */
  claimedPivot(): StepRecord | undefined {
    return this.graph.claimedPivot();
  }

  /** Whether a roll-back can still reach this step and would have something to do there. */
  mayBeUndone(step: StepRecord): boolean {
    return step.traits.undoable !== false && this.claimedPivot() === undefined;
  }

  /** FAILED_TEMP, and a person says: leave it. */
  abandon(): void {
    this.#require('fail', this.operation.status === 'suspended');
    this.#transitions.become('abandoned');
  }

  /** Stops the operation where it is. Before its first milestone it is rolled back, later it waits for a person. */
  cancel(mode: CancelMode): void {
    const { operation } = this;
    this.#require('cancel', ['accepted', 'running', 'rolling-back', 'stopping'].includes(operation.status));
    operation.failure ??= {
      kind: 'cancelled',
      code: 'operation.cancelled',
      title: 'Cancelled',
      detail: `cancelled on request (${mode})`,
      status: 409,
    };
    if (operation.status === 'accepted' && operation.milestone === null) {
      this.#transitions.become('rolled-back');
      return;
    }
    operation.cancel = mode;
    // It was accepted past its first milestone: what there is to stop is known with its plan.
    if (operation.status === 'accepted') return;
    if (operation.status !== 'stopping') {
      this.#transitions.stop(operation.status === 'running' && operation.milestone === null ? 'rolling-back' : 'suspended');
    }
    this.#transitions.advance();
  }

  /** The key that keeps a ready step out, if one does. */
  #full(
    { limitKeys, losses }: StepRecord,
    { running, quarantined, worker }: { running: ReadonlyMap<string, number>; quarantined: readonly number[]; worker: string },
  ): string | undefined {
    if (losses > 0 && !mayRunTogether(losses, quarantined, this.policy.maxLosses)) return quarantineKey(worker);
    return limitKeys.find((key) => (running.get(key) ?? 0) >= (this.policy.limitOf(key) ?? Number.POSITIVE_INFINITY));
  }

  /** A place that one of this transaction has left is none for whoever waits. */
  #take(key: string): void {
    const { left } = this.effects;
    const at = left.indexOf(key);
    if (at >= 0) left.splice(at, 1);
  }

  /** It runs no more: what it took up others may have. */
  #free(step: StepRecord): void {
    const { limitKeys, losses, owner, traits } = step;
    if (holdsPlaces(step)) this.effects.left.push(...limitKeys);
    // It was called to the place and left it to others: the next is called where nobody has it.
    else if (isLook(step) && step.epoch > 1 && traits.look?.behind !== undefined) this.effects.freed.add(traits.look.behind);
    if (losses > 0 && owner !== null) this.effects.freed.add(quarantineKey(owner));
  }

  #settle(step: StepRecord, outcome: StepOutcome): void {
    if (outcome.kind === 'done') this.#transitions.finish(step);
    else if (outcome.kind === 'expand') this.#expand(step, outcome.plan);
    else if (outcome.kind === 'released') this.#transitions.handOver(step);
    else if (outcome.kind === 'failed') this.#settleFailure(step, outcome);
    else this.#transitions.fail(step, cancelledReport(outcome));
  }

  #settleFailure(step: StepRecord, outcome: Extract<StepOutcome, { kind: 'failed' }>): void {
    const { retry } = outcome;
    const { nothingDone, ...said } = outcome.error;
    const isUntouched = (nothingDone === true || isLook(step)) && untouchedBefore(step);
    const error = { ...said, attemptsAllowed: retry.attempts, ...(isUntouched ? { nothingDone: true as const } : {}) };
    if (isUntouched) this.#transitions.change(step, { everClaimed: false });
    const again = error.kind === 'transient' && step.attempt < retry.attempts && this.operation.status !== 'stopping';
    if (!again) {
      this.#transitions.fail(step, error);
      return;
    }
    const pause = Math.max(retry.backoff * (retry.growth ?? 1) ** (step.attempt - 1), error.retryAfter ?? 0);
    this.#transitions.change(step, {
      state: 'ready',
      resumed: false,
      error: storable({ ...error, stepId: step.id }),
      nextAttemptAt: this.#transitions.after(pause),
      dispatchBy: this.#transitions.after(pause + this.policy.dispatchWithin),
    });
    if (pause === 0) this.#transitions.notify(step);
  }

  #expand(step: StepRecord, plan: CompiledPlan): void {
    if (step.phase === 'undo') throw new InvariantError(`step "${step.id}" answered an undo with a plan`);
    if (step.parentId !== null && this.graph.find(step.parentId)?.parentId !== null) {
      const detail = `"${step.id}" returned a plan, but stands in a returned plan itself: one level is allowed`;
      this.#transitions.fail(step, { kind: 'invariant', code: 'plan.too-deep', detail, status: 500 });
      return;
    }
    // The first plan committed is the plan: what was grafted before stands.
    if (!this.graph.hasChildren(step)) this.#transitions.insert(plan);
    if (this.graph.hasChildren(step)) this.#transitions.change(step, { state: 'expanded', error: null, resumed: false });
    else this.#transitions.finish(step);
  }

  #lose(step: StepRecord): void {
    const losses = step.losses + 1;
    this.#free(step);
    this.effects.lost.push({ ...step });
    this.#transitions.change(step, { owner: null, leaseUntil: null, losses });
    if (losses < this.policy.maxLosses) this.#transitions.handOver(step);
    else {
      const detail = `set aside: ${losses} workers of ${step.service} were lost while they ran it`;
      this.#transitions.fail(step, { kind: 'terminal', code: 'step.poison', detail, status: 500 });
    }
  }

  #remind(step: StepRecord, isUp: (step: StepRecord, kind: AwaitedKind) => boolean): void {
    if (step.nextAttemptAt !== null && !isUp(step, 'pause')) return;
    if (isUp(step, 'dispatch')) {
      const detail = `no worker for ${step.service}: nobody claimed it in time. Start the service, then retry`;
      this.#transitions.fail(step, { kind: 'terminal', code: 'step.no-worker', detail, status: 503 });
      return;
    }
    const since = step.rungAt === null ? Number.POSITIVE_INFINITY : this.now.getTime() - step.rungAt.getTime();
    // Rung in the future: the clock was set back since, and how long ago it was nobody knows.
    const due = since >= this.policy.wakeUpAgainAfter(step.rings) || since < -CLOCK_TOLERANCE;
    if (due || step.nextAttemptAt !== null) {
      this.#transitions.change(step, { nextAttemptAt: null });
      this.#transitions.notify(step);
    }
  }

  #resetForRetry(step: StepRecord, anew: boolean): void {
    if (step.traits.inline === true && step.phase === 'do' && step.state === 'done') return;
    // An undo that has begun may have taken half of it away.
    const applied = step.phase === 'do' ? step.state === 'done' || step.recheck : step.attempt === 0 && step.recheck;
    const state = this.graph.hasChildren(step) ? 'expanded' : 'waiting';
    this.#transitions.change(step, { ...fresh, phase: 'do', state, recheck: applied && !anew });
  }

  #require(task: string, allowed: boolean): void {
    if (allowed) return;
    throw new RequestError(
      409,
      'operation.wrong-state',
      `${task} is not possible now: the operation is ${this.operation.status}`,
    );
  }
}

/**
 * Whether nobody before the claim that has just failed can have changed anything by the step: it was the first, or each before it has said so itself.
 * A claim that was taken over says nothing of whoever was lost.
 */
const untouchedBefore = ({ phase, resumed, epoch, error }: StepRecord): boolean =>
  phase === 'do' && !resumed && (epoch === 1 || error?.nothingDone === true);
