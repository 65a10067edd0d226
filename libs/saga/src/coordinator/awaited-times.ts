import { millis, minutes, type Duration } from '@windlass/foundation';
import type { EnginePolicy } from '../engine/policy.js';
import type { AwaitedKind, StepRecord } from '../engine/records.js';
import type { AwaitedTime, Journal } from '../ports.js';

/** By how much the database's clock and ours may differ between two looks before it counts as a jump: a look under load takes a while. */
const TOLERANCE: Duration = millis(500);

/** Without a look for so long, the database was away, or we were: whoever should have been called meanwhile was not. */
const AWAY_AFTER: Duration = minutes(1);

/** How long a step whose wake-up nobody sent may still be claimed after its deadline: twice the longest pause between two wake-ups. */
const CALLED_FOR: Duration = minutes(1);

interface ObservedTime {
  operationId: string;
  /** On our steady clock. */
  dueAt: number;
}

/**
 * The times in the journal, as one coordinator sees them pass. They are written and first read by the database's clock; from then on the
 * coordinator's own steady clock counts what was left, so that a database's clock that jumps neither ends a lease early nor makes it last.
 * A time that is written anew (a renewal) is another one, and counted anew.
 */
export class AwaitedTimes {
  #seen = new Map<string, ObservedTime>();
  /** What the database's clock was ahead of ours at the last look: somewhere between the two. */
  #ahead: { least: number; most: number } | undefined;
  #lastLook: number;
  #watchingSince: number;

  constructor(
    private readonly journal: Journal,
    private readonly policy: EnginePolicy,
  ) {
    this.#lastLook = journal.steady();
    this.#watchingSince = this.#lastLook;
  }

  /**
   * Looks into the journal.
   * @param limit of what is due
   * @returns `overdue`: the operations for which a time is up that is awaited, the longest overdue first; `due`: those that want a sweep for another reason
   */
  async look(limit: number): Promise<{ overdue: string[]; due: string[] }> {
    const asked = this.journal.steady();
    const { now, times, due } = await this.journal.look(limit);
    const answered = this.journal.steady();
    if (answered - this.#lastLook > AWAY_AFTER) {
      this.#watchingSince = answered;
      this.#seen.clear();
    }
    this.#lastLook = answered;
    const jump = this.#jumpOf({ least: now.getTime() - answered, most: now.getTime() - asked });
    const seen = new Map<string, ObservedTime>();
    for (const time of times) {
      const key = keyOf(time.operationId, time.stepId, time.kind, time.at);
      const left = (): number => this.#left(time, now, jump, answered);
      seen.set(key, this.#seen.get(key) ?? { operationId: time.operationId, dueAt: answered + left() });
    }
    this.#seen = seen;
    const up = [...seen.values()].filter(({ dueAt }) => dueAt <= answered).sort((a, b) => a.dueAt - b.dueAt);
    return { overdue: [...new Set(up.map(({ operationId }) => operationId))], due };
  }

  /** Whether the time that the step's record names now is up. One that was never looked at is not. */
  isUp(step: StepRecord, kind: AwaitedKind): boolean {
    const at = timeOf(step, kind);
    if (at === null) return false;
    const observedTime = this.#seen.get(keyOf(step.operationId, step.id, kind, at));
    return observedTime !== undefined && observedTime.dueAt <= this.journal.steady();
  }

  /** By how much the database's clock jumped since the last look; 0 when it went as ours did. */
  #jumpOf(ahead: { least: number; most: number }): number {
    const before = this.#ahead;
    this.#ahead = ahead;
    if (before === undefined) return 0;
    const forward = ahead.least - before.most;
    const backward = ahead.most - before.least;
    if (forward > TOLERANCE) return forward;
    return backward < 0 - TOLERANCE ? backward : 0;
  }

  /** What is left of a time that is seen first, when the clock has jumped by so much since the look before. */
  #left({ kind, at, rungAt }: AwaitedTime, now: Date, jump: number, answered: number): number {
    const left = at.getTime() - now.getTime();
    // No lease is longer. Ending one early is what must not be; ending it late costs at most a lease.
    if (kind === 'lease') return Math.min(left + Math.max(jump, 0), this.policy.lease);
    const written = jump < 0 && left + jump > 0 ? left + jump : left;
    if (kind === 'pause') return written;
    const watched = answered - this.#watchingSince;
    const called = rungAt !== null && now.getTime() - rungAt.getTime() <= watched;
    return called && jump <= 0 ? written : Math.max(written, Math.min(CALLED_FOR, this.policy.dispatchWithin));
  }
}

const keyOf = (operationId: string, stepId: string, kind: AwaitedKind, at: Date): string =>
  `${operationId} ${stepId} ${kind} ${at.getTime()}`;

/** The time of this kind that a step waits for now, if any. */
function timeOf(step: StepRecord, kind: AwaitedKind): Date | null {
  if (kind === 'lease') return step.state === 'running' ? step.leaseUntil : null;
  if (step.state !== 'ready') return null;
  return kind === 'pause' ? step.nextAttemptAt : step.dispatchBy;
}

/** The times that a step waits for, as a journal tells them. */
export function awaitedTimes(step: StepRecord): AwaitedTime[] {
  return (['lease', 'pause', 'dispatch'] as const).flatMap((kind) => {
    const at = timeOf(step, kind);
    return at === null ? [] : [{ operationId: step.operationId, stepId: step.id, kind, at, rungAt: step.rungAt }];
  });
}
