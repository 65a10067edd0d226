import type { DataSource } from 'typeorm';

/** The channel on which the outbox's relays are woken. */
export const OUTBOX_CHANNEL = 'windlass_outbox';

/**
 * Wakes the relays after a commit, once for all commits that came meanwhile. Never inside a transaction: PostgreSQL lets transactions that notify
 * commit only one after the other, each with its own wait for the disk (`PreCommit_Notify` in its async.c takes a lock until the end).
 */
export class OutboxBell {
  #ringing = false;
  #again = false;

  constructor(private readonly database: DataSource) {}

  ring(): void {
    this.#again = true;
    if (!this.#ringing) void this.#ring();
  }

  async #ring(): Promise<void> {
    this.#ringing = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.database.query(`SELECT pg_notify('${OUTBOX_CHANNEL}', '')`);
      }
    } catch {
      // The rows are committed, and the relay looks by itself every second.
    } finally {
      this.#ringing = false;
    }
  }
}
