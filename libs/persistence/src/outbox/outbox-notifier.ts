import { setTimeout as pause } from 'node:timers/promises';
import { millis, type Duration } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { runPreparedAlone, type Statement } from '../prepared.js';

/** The channel on which the outbox's relays are woken, and live views. */
export const OUTBOX_CHANNEL = 'windlass_outbox';

/** The word on that channel by which live views alone are woken: the record has changed, and nothing in the outbox waits for a relay. */
export const RECORD_CHANGED = 'record';

/** Between two wake-ups of live views by one process: a view looks no more often (`pause` of lcm-api's event streams). */
export const VIEWS_PAUSE = millis(200);

const NOTIFY: Statement = { name: 'windlass wake-up of listeners', text: 'SELECT pg_notify($1, $2)' };

interface NotifierOptions {
  channel?: string;
  /** Said with each NOTIFY. */
  word?: string;
  /** Between two of them at least; none unless given. The first goes out at once, and the last change is never left untold. */
  every?: Duration;
}

/**
 * Wakes the relays, or others that listen, after a commit, once for all commits that came meanwhile. Never inside a transaction: PostgreSQL lets transactions that notify
 * commit only one after the other, each with its own wait for the disk (`PreCommit_Notify` in its async.c takes a lock until the end).
 */
export class OutboxNotifier {
  #notifying = false;
  #again = false;

  constructor(
    private readonly database: DataSource,
    private readonly options: NotifierOptions = {},
  ) {}

  notify(): void {
    this.#again = true;
    if (!this.#notifying) void this.#notify();
  }

  async #notify(): Promise<void> {
    const { channel = OUTBOX_CHANNEL, word = '', every } = this.options;
    this.#notifying = true;
    try {
      while (this.#again) {
        this.#again = false;
        await runPreparedAlone(this.database, NOTIFY, [channel, word]);
        if (every !== undefined) await pause(every, undefined, { ref: false });
      }
    } catch {
      // The rows are committed, and who is woken looks by itself every second or two.
    } finally {
      this.#notifying = false;
    }
  }
}
