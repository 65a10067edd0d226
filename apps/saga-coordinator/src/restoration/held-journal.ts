import type { PgRestoration } from '@windlass/persistence';
import type { Duration } from '@windlass/foundation';
import type { HeldClaim, Journal, JournalLook, JournalTransaction, LimitUse, Vacancy, WakeUp } from '@windlass/saga';

/**
 * The journal as a coordinator's sweep sees it: while work waits for audits, times of all else do not count, so nothing fails for want of a
 * worker that may not have it.
 */
export class HeldJournal implements Journal {
  constructor(
    private readonly journal: Journal,
    private readonly record: { readonly waits: boolean },
    private readonly restoration: Pick<PgRestoration, 'unfinishedAudits'>,
  ) {}

  transact<T>(
    operationId: string,
    work: (tx: JournalTransaction) => Promise<T>,
    options?: { skipLocked?: boolean },
  ): Promise<T | undefined> {
    return this.journal.transact(operationId, work, options);
  }

  extend(claim: HeldClaim, lease: Duration): Promise<boolean> {
    return this.journal.extend?.(claim, lease) ?? Promise.resolve(false);
  }

  isCrowded(key: string): boolean {
    return this.journal.isCrowded?.(key) ?? false;
  }

  async look(limit: number): Promise<JournalLook> {
    const looked = await this.journal.look(limit);
    if (!this.record.waits) return looked;
    const audits = await this.restoration.unfinishedAudits();
    // A sweep passes by what it can't move: no limit hides an audit.
    return { ...looked, times: looked.times.filter(({ operationId }) => audits.has(operationId)), due: [...audits] };
  }

  steady(): number {
    return this.journal.steady();
  }

  waiting(vacancies: readonly Vacancy[]): Promise<WakeUp[]> {
    return this.journal.waiting(vacancies);
  }

  limitUse(): Promise<LimitUse[]> {
    return this.journal.limitUse();
  }

  withReadySteps(): Promise<string[]> {
    return this.journal.withReadySteps();
  }
}
