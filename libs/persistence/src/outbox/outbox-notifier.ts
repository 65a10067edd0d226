import { setTimeout as pause } from 'node:timers/promises';
import { millis, seconds, type Duration } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { runPreparedAlone, type Statement } from '../prepared.js';

/** The channel on which the outbox's relays are woken, and live views. */
export const OUTBOX_CHANNEL = 'windlass_outbox';

/** The word on that channel by which live views alone are woken: the record has changed, and nothing in the outbox waits for a relay. */
export const RECORD_CHANGED = 'record';

/** Between two wake-ups of live views by one process: a view looks no more often (`pause` of lcm-api's event streams). */
export const VIEWS_PAUSE = millis(200);

/** The name of the sessions over which live views are woken, of every release. */
export const VIEWS_SESSIONS = 'windlass live views';

/** Before it is looked again whether anybody views: whoever has begun meanwhile looks by itself each second. */
const NOBODY_PAUSE = seconds(1);

const NOTIFY: Statement = { name: 'windlass wake-up of listeners', text: 'SELECT pg_notify($1, $2)' };

/** A NOTIFY takes a transaction id, also where nobody listens. */
const NOTIFY_VIEWS: Statement = {
  name: 'windlass wake-up of live views',
  text: `SELECT pg_notify($1, $2) WHERE EXISTS (
    SELECT FROM pg_stat_activity WHERE application_name = '${VIEWS_SESSIONS}' AND datname = current_database())`,
};

interface NotifierOptions {
  channel?: string;
  /** Said with each NOTIFY. */
  word?: string;
  /** For live views, where there are any: so much lies between two at least. The first goes out at once, and the last change is never left untold. */
  views?: Duration;
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
    const { channel = OUTBOX_CHANNEL, word = '', views } = this.options;
    this.#notifying = true;
    try {
      while (this.#again) {
        this.#again = false;
        const told = await runPreparedAlone(this.database, views === undefined ? NOTIFY : NOTIFY_VIEWS, [channel, word]);
        if (views !== undefined) await pause(told.length > 0 ? views : NOBODY_PAUSE, undefined, { ref: false });
      }
    } catch {
      // The rows are committed, and who is woken looks by itself every second or two.
    } finally {
      this.#notifying = false;
    }
  }
}
