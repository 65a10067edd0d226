import type { DataSource } from 'typeorm';

/** The channel on which the outbox's relays are woken. */
export const OUTBOX_CHANNEL = 'windlass_outbox';

/**
 * Wakes the relays after a commit, once for all commits that came meanwhile. Never inside a transaction: PostgreSQL lets transactions that notify
 * commit only one after the other, each with its own wait for the disk (`PreCommit_Notify` in its async.c takes a lock until the end).
 */
export class OutboxNotifier {
  #notifying = false;
  #again = false;

  constructor(private readonly database: DataSource) {}

  notify(): void {
    this.#again = true;
    if (!this.#notifying) void this.#notify();
  }

  async #notify(): Promise<void> {
    this.#notifying = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.database.query(`SELECT pg_notify('${OUTBOX_CHANNEL}', '')`);
      }
    } catch {
      // The rows are committed, and the relay looks by itself every second.
    } finally {
      this.#notifying = false;
    }
  }
}
