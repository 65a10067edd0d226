import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '@windlass/foundation';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { watchAnswers } from '../answer-watch.js';
import { rowsOf } from '../database.js';
import { OUTBOX_CHANNEL } from './outbox-bell.js';

/** A row of the outbox as it was written: the subject and the event's data. */
export interface OutboxMessage {
  id: string;
  subject: string;
  message: unknown;
  createdAt: Date;
}

/** Pause before LISTEN is tried again on a new connection, in milliseconds. The relay polls meanwhile. */
const LISTEN_AGAIN = 1_000;

/** How often a quiet LISTEN connection is tried: one that was cut off without a word would never wake anybody again. */
const LISTENING_EVERY = seconds(5);

/** The outbox in PostgreSQL: unsent rows are taken by flag under row locks, and a commit wakes the relays by NOTIFY. */
export class PgOutbox {
  readonly #callbacks = new Set<() => void>();
  readonly #stopping = new AbortController();
  #client: Client | undefined;
  #listening: Promise<void> | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly url: string,
  ) {}

  /**
   * Takes up to `limit` unsent rows, oldest first, skipping those that another relay has locked; marks them sent if `publish` resolves.
   * @returns how many were taken
   */
  takeBatch(limit: number, publish: (rows: readonly OutboxMessage[]) => Promise<void>): Promise<number> {
    return this.database.transaction(async (manager) => {
      const rows = await rowsOf<{ id: string; subject: string; message: unknown; created_at: Date }>(
        manager,
        'SELECT id, subject, message, created_at FROM lcm.outbox WHERE NOT sent ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED',
        [limit],
      );
      if (rows.length === 0) return 0;
      await publish(rows.map(({ id, subject, message, created_at: createdAt }) => ({ id, subject, message, createdAt })));
      await manager.query('UPDATE lcm.outbox SET sent = true WHERE id = ANY($1::bigint[])', [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }

  /** Removes rows sent longer ago than this; returns how many. */
  async purge(olderThanSeconds: number, limit = 10_000): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      `DELETE FROM lcm.outbox WHERE id IN (
         SELECT id FROM lcm.outbox WHERE sent AND created_at < clock_timestamp() - make_interval(secs => $1) LIMIT $2
       ) RETURNING 1`,
      [olderThanSeconds, limit],
    );
    return rows.length;
  }

  /** Calls back when rows may be there. */
  onWake(callback: () => void): () => void {
    this.#callbacks.add(callback);
    this.#listening ??= this.#listen();
    return () => this.#callbacks.delete(callback);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end().catch(() => undefined); // the connection may be gone already, which is what is wanted
    await this.#listening;
  }

  async #listen(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#listenOnce();
      await pause(LISTEN_AGAIN, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // ended early by close()
    }
  }

  /** Until the connection ends. What is missed meanwhile, the relay's poll finds. */
  async #listenOnce(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'windlass outbox',
      connectionTimeoutMillis: LISTENING_EVERY,
      keepAlive: true,
    });
    watchAnswers(client);
    this.#client = client;
    let trying: NodeJS.Timeout | undefined;
    const ended = new Promise<void>((resolve) => {
      client.once('end', () => resolve());
      client.once('error', () => resolve());
    });
    client.on('notification', () => this.#callbacks.forEach((callback) => callback()));
    try {
      await client.connect();
      await client.query(`LISTEN ${OUTBOX_CHANNEL}`);
      this.#callbacks.forEach((callback) => callback());
      // One that fails ends the connection, which is what is waited for.
      trying = setInterval(() => void client.query('SELECT 1').catch(() => undefined), LISTENING_EVERY);
      await ended;
    } catch {
      // Not reachable now: the relay says so, since it meets the same.
    } finally {
      clearInterval(trying);
      await client.end().catch(() => undefined);
    }
  }
}
