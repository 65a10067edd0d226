import type { DataSource } from 'typeorm';
import { runPreparedAlone, type Statement } from '../prepared.js';

/** The channel on which the outbox's relays are woken. */
export const OUTBOX_CHANNEL = 'windlass_outbox';

const NOTIFY: Statement = { name: 'windlass wake-up of listeners', text: `SELECT pg_notify($1, '')` };

/**
 * Wakes the relays, or others that listen, after a commit, once for all commits that came meanwhile. Never inside a transaction: PostgreSQL lets transactions that notify
 * commit only one after the other, each with its own wait for the disk (`PreCommit_Notify` in its async.c takes a lock until the end).
 */
export class OutboxNotifier {
  #notifying = false;
  #again = false;

  constructor(
    private readonly database: DataSource,
    private readonly channel = OUTBOX_CHANNEL,
  ) {}

  notify(): void {
    this.#again = true;
    if (!this.#notifying) void this.#notify();
  }

  async #notify(): Promise<void> {
    this.#notifying = true;
    try {
      while (this.#again) {
        this.#again = false;
        await runPreparedAlone(this.database, NOTIFY, [this.channel]);
      }
    } catch {
      // The rows are committed, and who is woken looks by itself every second or two.
    } finally {
      this.#notifying = false;
    }
  }
}
