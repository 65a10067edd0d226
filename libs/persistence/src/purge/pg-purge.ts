import type { Duration } from '@windlass/foundation';
import { INTERNAL_KINDS } from '@windlass/lifecycle';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';

const seconds = (age: Duration): number => age / 1_000;

/** How many rows one batch goes through at most, so that no transaction lasts. */
export interface BatchSizes {
  /** Operations; each has some dozens of steps. */
  operations: number;
  /** Entries of the audit trail. */
  entries: number;
}

export const defaultBatches: BatchSizes = { operations: 50, entries: 5_000 };

/** As the statement's own words: with them PostgreSQL knows the index that has these alone. */
const KINDS = INTERNAL_KINDS.map((kind) => `'${kind}'`).join(', ');

/**
 * The same for the whole statement, so that an index is asked for what is older. With `clock_timestamp()`, which may change from row to row, each row
 * of the index would be held against it: all that are kept, each time that there is nothing to purge.
 */
const AGO = 'statement_timestamp() - make_interval(secs => $1)';

/** Removes what has been kept long enough, a batch at a time. What is not final is never touched; what another replica purges is passed by. */
export class PgPurge {
  constructor(
    private readonly database: DataSource,
    private readonly batches: BatchSizes = defaultBatches,
  ) {}

  /** The journals, the steps, of operations final for longer than this. Their occurrences stay. Returns how many operations. */
  async journals(olderThan: Duration): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      `WITH old AS (
         SELECT id FROM lcm.operation
         WHERE status IN ('completed', 'rolled-back', 'abandoned') AND journal_purged_at IS NULL
           AND status_since < ${AGO}
         ORDER BY status_since LIMIT $2 FOR UPDATE SKIP LOCKED
       ), steps AS (
         DELETE FROM lcm.step WHERE operation_id IN (SELECT id FROM old)
       )
       UPDATE lcm.operation AS o SET journal_purged_at = clock_timestamp() FROM old WHERE o.id = old.id RETURNING 1`,
      [seconds(olderThan), this.batches.operations],
    );
    return rows.length;
  }

  /**
   * Sealed inputs and outputs of operations that are final, however young. The engine removes them with the operation's last commit; these were
   * final before it did, or were ended by a coordinator of an older release. Returns how many operations.
   */
  async payloads(): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      `WITH over AS (
         SELECT id FROM lcm.operation
         WHERE status IN ('completed', 'rolled-back', 'abandoned') AND id IN (SELECT operation_id FROM lcm.payload)
         LIMIT $1 FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM lcm.payload WHERE operation_id IN (SELECT id FROM over)
       )
       SELECT 1 FROM over`,
      [this.batches.operations],
    );
    return rows.length;
  }

  /**
   * Keys that no worker has asked with for longer than this, such as those of pods that are gone. Only those that a standing token enrolled, which has neither
   * end nor limit: whoever comes back enrols anew by it. A revoked key stays, so that it is never taken again. Returns how many.
   */
  async keys(unseenFor: Duration): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      `DELETE FROM lcm.worker_key WHERE id IN (
         SELECT k.id FROM lcm.worker_key AS k JOIN lcm.enrolment_token AS t ON t.id = k.token_id AND t.service = k.service
         WHERE k.revoked_at IS NULL AND k.seen_at < ${AGO}
           AND t.revoked_at IS NULL AND t.expires_at IS NULL AND t.max_uses IS NULL
         ORDER BY k.seen_at LIMIT $2 FOR UPDATE OF k SKIP LOCKED
       ) RETURNING 1`,
      [seconds(unseenFor), this.batches.entries],
    );
    return rows.length;
  }

  /** Internal operations that ended longer ago than this, whole: they have no occurrence that would outlive their journals. Returns how many. */
  async internals(olderThan: Duration): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      `DELETE FROM lcm.operation WHERE id IN (
         SELECT o.id FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
         WHERE i.state <> 'PENDING' AND o.status IN ('completed', 'rolled-back', 'abandoned') AND o.kind IN (${KINDS})
           AND o.status_since < ${AGO}
         ORDER BY o.status_since LIMIT $2 FOR UPDATE OF o SKIP LOCKED
       ) RETURNING 1`,
      [seconds(olderThan), this.batches.operations],
    );
    return rows.length;
  }

  /** Operation occurrences that were final for longer than this, with whatever is left of their journals. Returns how many. */
  async operations(olderThan: Duration): Promise<number> {
    const rows = await rowsOf(
      this.database.manager,
      `DELETE FROM lcm.operation WHERE id IN (
         SELECT id FROM lcm.operation WHERE status IN ('completed', 'rolled-back', 'abandoned')
           AND status_since < ${AGO}
         ORDER BY status_since LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [seconds(olderThan), this.batches.operations],
    );
    return rows.length;
  }

  /**
   * Entries of the audit trail older than this, of links that the chain says are over (`PgAuditChain.markOld`). The trail says how many went.
   * Fails for less than 30 days, which are always kept.
   */
  async trail(olderThan: Duration): Promise<number> {
    const [row] = await rowsOf<{ removed: number }>(
      this.database.manager,
      'SELECT lcm.purge_audit_trail(clock_timestamp() - make_interval(secs => $1), $2) AS removed',
      [seconds(olderThan), this.batches.entries],
    );
    return row?.removed ?? 0;
  }
}
