import { InvariantError } from '@windlass/foundation';
import type { CompiledPlan } from '../plan/compile.js';
import { storable, type ErrorReport } from './error-report.js';
import { SagaGraph } from './graph.js';
import type { EnginePolicy } from './policy.js';
import { FINAL_STATUSES, type OperationRecord, type OperationStatus, type StepRecord } from './records.js';
import { fresh, newStep } from './step-records.js';

/** What a caller has to do once the transaction is committed, and what happened in it. */
export interface MachineEffects {
  /** Wake-ups to send. */
  notify: StepRecord[];
  /** Limit keys under which a place may be free for whoever waits: one was let in that had waited, or made room otherwise. */
  freed: Set<string>;
  /** Limit keys under which one was refused: a place may have become free since it was counted. */
  refused: Set<string>;
  /** Limit keys of steps that run no more, each once for a place that none of this transaction has taken again. */
  left: string[];
  /** Limit keys whose place was held by a step that has made what others behind it look for. */
  made: Set<string>;
  statuses: { from: OperationStatus; to: OperationStatus }[];
  milestones: string[];
  inserted: StepRecord[];
  changed: Set<StepRecord>;
  /** Steps whose state is another one now. */
  moved: Set<StepRecord>;
  /** Claims whose lease ran out, as they stood. */
  lost: LostClaim[];
}

/** A claim whose worker was not heard of in time. */
export type LostClaim = Pick<
  StepRecord,
  'operationId' | 'id' | 'epoch' | 'service' | 'action' | 'version' | 'phase' | 'attempt' | 'target' | 'owner' | 'startedAt'
>;

/** The moves that the machine's rules are made of. Every change of a record goes through here, and is noted in `effects`. */
export class Transitions {
  readonly effects: MachineEffects = {
    notify: [],
    freed: new Set(),
    refused: new Set(),
    left: [],
    made: new Set(),
    statuses: [],
    milestones: [],
    inserted: [],
    changed: new Set(),
    moved: new Set(),
    lost: [],
  };
  readonly graph: SagaGraph;

  constructor(
    readonly operation: OperationRecord,
    steps: readonly StepRecord[],
    readonly now: Date,
    readonly policy: EnginePolicy,
  ) {
    this.graph = new SagaGraph(steps);
  }

  /** Recomputes what may run now, from the journal alone, and ends what has come to its end. */
  advance(): void {
    const { operation } = this;
    if (operation.status === 'running') this.#advanceForward();
    else if (operation.status === 'rolling-back') this.#advanceBackward();
    else if (operation.status === 'stopping') this.#finishStopping();
  }

  change(step: StepRecord, change: Partial<StepRecord>): void {
    if ((change.state ?? step.state) !== step.state || (change.phase ?? step.phase) !== step.phase) this.effects.moved.add(step);
    Object.assign(step, change);
    this.effects.changed.add(step);
  }

  become(status: OperationStatus): void {
    const from = this.operation.status;
    if (from === status) return;
    if (FINAL_STATUSES.includes(from))
      throw new InvariantError(`operation ${this.operation.id} is ${from} and can't become ${status}`);
    this.operation.status = status;
    this.operation.statusSince = this.now;
    this.effects.statuses.push({ from, to: status });
  }

  after(milliseconds: number): Date {
    return new Date(this.now.getTime() + milliseconds);
  }

  insert(plan: CompiledPlan): void {
    for (const compiled of plan.steps) {
      const record = newStep(this.operation.id, this.graph.steps.length, compiled);
      this.graph.add(record);
      this.effects.inserted.push(record);
    }
  }

  notify(step: StepRecord): void {
    this.change(step, { rungAt: this.now, rings: step.rings + 1 });
    this.effects.notify.push(step);
  }

  finish(step: StepRecord): void {
    this.change(step, { state: 'done', endedAt: this.now, error: null, recheck: false, resumed: false });
    const { milestone } = step.traits;
    if (step.phase === 'do' && milestone !== undefined && this.operation.milestone !== milestone) {
      this.operation.milestone = milestone;
      this.effects.milestones.push(milestone);
    }
  }

  fail(step: StepRecord, error: ErrorReport): void {
    const report = storable({ ...error, stepId: step.id });
    this.change(step, { state: 'failed', error: report, endedAt: this.now });
    const { operation } = this;
    // Why a roll-back stands is news; the reason for rolling back was told before.
    if (operation.status === 'rolling-back') operation.failure = report;
    operation.failure ??= report;
    if (operation.status === 'running') this.stop(step.traits.onFailure === 'roll-back' ? 'rolling-back' : 'suspended');
    else if (operation.status === 'rolling-back') this.stop('suspended');
  }

  /** No step begins any more; those in flight end by themselves, then comes `into`. */
  stop(into: 'suspended' | 'rolling-back'): void {
    this.operation.stopsInto = into;
    this.become('stopping');
    for (const step of this.graph.steps) {
      if (step.state === 'ready') this.change(step, { state: 'waiting', dispatchBy: null, nextAttemptAt: null });
    }
  }

  /** The step goes to whoever claims it next; its attempt goes on. */
  handOver(step: StepRecord): void {
    if (this.operation.status === 'stopping') this.change(step, { state: 'waiting', resumed: true });
    else {
      this.change(step, { state: 'ready', resumed: true, dispatchBy: this.after(this.policy.dispatchWithin) });
      this.notify(step);
    }
  }

  startRollback(): void {
    for (const step of this.graph.steps) {
      if (!step.everClaimed) this.change(step, { state: 'waiting' });
      else if (step.phase === 'do')
        this.change(step, { ...fresh, phase: 'undo', state: 'waiting', recheck: step.state === 'done' || step.recheck });
      else if (step.state !== 'done') this.change(step, { ...fresh, state: 'waiting' });
    }
    this.become('rolling-back');
  }

  #makeReady(step: StepRecord): void {
    this.change(step, {
      state: 'ready',
      dispatchBy: this.after(this.policy.dispatchWithin),
      nextAttemptAt: null,
      progress: null,
    });
    if (step.traits.inline !== true) this.notify(step);
  }

  #advanceForward(): void {
    for (let again = true; again;) {
      again = false;
      for (const step of this.graph.steps) {
        if (step.state === 'expanded' && this.graph.childrenDone(step)) {
          this.finish(step);
          again = true;
        } else if (step.state === 'waiting' && step.phase === 'do' && this.graph.mayStart(step)) {
          this.#makeReady(step);
        }
      }
    }
    if (this.graph.steps.every((step) => step.phase === 'do' && step.state === 'done')) this.become('completed');
  }

  #advanceBackward(): void {
    for (let again = true; again;) {
      again = false;
      for (const step of this.graph.steps) {
        if (step.phase !== 'undo' || step.state !== 'waiting' || !this.graph.mayUndo(step)) continue;
        if (step.traits.undoable === false || this.graph.hasChildren(step)) {
          this.change(step, { state: 'done', endedAt: this.now });
          again = true;
        } else this.#makeReady(step);
      }
    }
    if (this.graph.steps.every((step) => !step.everClaimed || (step.phase === 'undo' && step.state === 'done')))
      this.become('rolled-back');
  }

  #finishStopping(): void {
    if (this.graph.steps.some((step) => step.state === 'running')) return;
    const { operation } = this;
    const backward = this.graph.steps.some((step) => step.phase === 'undo');
    if (operation.cancel !== null && (backward ? this.#nothingLeftToUndo() : this.#nothingLeftToDo())) {
      // The cancel came when nothing was left to stop.
      operation.cancel = null;
      operation.stopsInto = null;
      if (!backward) operation.failure = null;
      this.become(backward ? 'rolling-back' : 'running');
      this.advance();
      return;
    }
    const into = operation.stopsInto ?? 'suspended';
    operation.cancel = null;
    operation.stopsInto = null;
    if (into === 'rolling-back' && this.graph.claimedPivot() === undefined) {
      this.startRollback();
      this.advance();
    } else this.become(into === 'rolling-back' ? 'suspended' : into);
  }

  #nothingLeftToUndo(): boolean {
    const left = this.graph.steps.filter((step) => step.everClaimed && step.state !== 'done');
    return left.every((step) => step.traits.undoable === false || this.graph.hasChildren(step));
  }

  #nothingLeftToDo(): boolean {
    const left = this.graph.steps.filter(
      (step) => step.state !== 'done' && !(step.state === 'expanded' && this.graph.childrenDone(step)),
    );
    return left.every((step) => step.phase === 'do' && step.state === 'waiting' && step.traits.inline === true);
  }
}
