import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';
import { OUTBOX_CHANNEL, RECORD_CHANGED } from './outbox-notifier.js';
import { PgListener } from './pg-listener.js';

/** A row of the outbox as it was written: the subject and the event's data. */
export interface OutboxMessage {
  id: string;
  subject: string;
  message: unknown;
  createdAt: Date;
}

/** The oldest unsent rows, in their order; they are unsent again where the transaction is taken back. The ids are looked up by the key, however many rows there are. */
const TAKE = `WITH taken AS (UPDATE lcm.outbox SET sent = true WHERE id = ANY(ARRAY(
      SELECT id FROM lcm.outbox WHERE NOT sent ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING id, subject, message, created_at)
    SELECT * FROM taken ORDER BY id`;

/** The outbox in PostgreSQL: unsent rows are taken by flag under row locks, and a commit wakes the relays by NOTIFY. */
export class PgOutbox {
  readonly #listener: PgListener;

  constructor(
    private readonly database: DataSource,
    url: string,
  ) {
    const heeds = (word: string): boolean => word !== RECORD_CHANGED;
    this.#listener = new PgListener({ url, channel: OUTBOX_CHANNEL, applicationName: 'windlass outbox', heeds });
  }

  /**
   * Takes up to `limit` unsent rows, oldest first, skipping those that another relay has locked; marks them sent if `publish` resolves.
   * @returns how many were taken
   */
  takeBatch(limit: number, publish: (rows: readonly OutboxMessage[]) => Promise<void>): Promise<number> {
    return this.database.transaction(async (manager) => {
      const rows = await rowsOf<{ id: string; subject: string; message: unknown; created_at: Date }>(manager, TAKE, [limit]);
      if (rows.length === 0) return 0;
      await publish(rows.map(({ id, subject, message, created_at: createdAt }) => ({ id, subject, message, createdAt })));
      return rows.length;
    });
  }

  /** Removes rows sent longer ago than this; returns how many. */
  async purge(olderThanSeconds: number, limit = 10_000): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      // The oldest have the lowest ids: the key leads to them, and no batch looks further than it may remove.
      `DELETE FROM lcm.outbox WHERE id IN (
         SELECT id FROM (SELECT id, sent, created_at FROM lcm.outbox ORDER BY id LIMIT $2) AS oldest
         WHERE sent AND created_at < clock_timestamp() - make_interval(secs => $1)
       ) RETURNING 1`,
      [olderThanSeconds, limit],
    );
    return rows.length;
  }

  /** Calls back when rows may be there. */
  onWake(callback: () => void): () => void {
    return this.#listener.onWake(callback);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }
}
