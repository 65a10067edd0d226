import { seconds, type Duration } from '@windlass/foundation';
import type { CoordinatorCounters } from '@windlass/service-kit';
import type { MessagingLog } from '@windlass/messaging';
import type { PgAuditChain, PgOutbox, PgPurge } from '@windlass/persistence';
import { setTimeout as pause } from 'node:timers/promises';

/** How long finished things are kept. */
export interface Retention {
  /** Steps of operations that are final; internal operations that have ended, whole. */
  journals: Duration;
  /** Operation occurrences that are final. */
  operations: Duration;
  /** Entries of the audit trail. */
  trail: Duration;
  /** Keys that no worker has asked with; one that runs asks every half minute. */
  keys: Duration;
  /** Rows of the outbox that were sent: longer than JetStream's window of duplicates. */
  outbox: Duration;
}

/** Between two batches, so that purging never crowds out what operations write. */
const BETWEEN_BATCHES = seconds(0.2);

/**
 * Removes things that were kept long enough, in batches, one kind after another. Every coordinator has a purger; each skips rows that another has
 * locked.
 */
export class Purger {
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  /** Whether something could not be removed in this round. */
  #failed = false;

  constructor(
    private readonly purge: PgPurge,
    private readonly outbox: PgOutbox,
    private readonly chain: PgAuditChain,
    private readonly retention: Retention,
    private readonly log: MessagingLog,
    private readonly every: Duration,
    private readonly counters?: Pick<CoordinatorCounters, 'purged' | 'rowsPurged'>,
  ) {}

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (await this.#pause(this.every)) {
      const { retention, purge } = this;
      this.#failed = false;
      await this.#empty('inputs and outputs of operations', () => purge.payloads());
      // Journals are removed before occurrences, so that little is left to remove with an occurrence.
      await this.#empty('rows of the outbox', () => this.outbox.purge(retention.outbox / 1_000));
      await this.#empty('keys of workers', () => purge.keys(retention.keys));
      await this.#empty('internal operations', () => purge.internals(retention.journals));
      await this.#empty('journals of operations', () => purge.journals(retention.journals));
      await this.#empty('operation occurrences', () => purge.operations(retention.operations));
      await this.#empty('entries of the audit trail', () => this.#trail());
      if (!this.#stopping.signal.aborted) this.counters?.purged(!this.#failed);
    }
  }

  /** Entries of the audit trail are removed only after the chain records their removal: the chain's check reports any other gap. */
  async #trail(): Promise<number> {
    const { purge, chain, retention } = this;
    const trouble = await chain.markOld(retention.trail);
    if (trouble !== undefined) {
      this.#failed = true;
      this.log.error('the audit trail was tampered with', { trouble, check: './windlass audit-trail check' });
    }
    return purge.trail(retention.trail);
  }

  /** Batch after batch, until there is nothing left that is old enough. */
  async #empty(what: string, batch: () => Promise<number>): Promise<void> {
    let removed = 0;
    try {
      for (let last = 1; last > 0 && !this.#stopping.signal.aborted;) {
        last = await batch();
        removed += last;
        if (last > 0 && !(await this.#pause(BETWEEN_BATCHES))) break;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#failed = true;
      this.log.warn('what is old could not be removed; trying again', { what, error: reason });
    }
    if (removed === 0) return;
    this.counters?.rowsPurged(what, removed);
    this.log.info('removed what was kept long enough', { what, removed });
  }

  /** Returns whether it goes on. */
  async #pause(time: Duration): Promise<boolean> {
    await pause(time, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // ended early by stop()
    return !this.#stopping.signal.aborted;
  }
}
