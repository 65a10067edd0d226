import type { Json } from '@windlass/foundation';
import type {
  AwaitedKind,
  AwaitedTime,
  WakeUp,
  Journal,
  JournalTransaction,
  LimitUse,
  OperationRecord,
  PayloadKind,
  StepRecord,
} from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { runPrepared, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { inTransaction } from '../transaction.js';
import { KeptSteps } from './kept-steps.js';
import { PgPayloads } from './payloads.js';
import { MUTABLE_STEP_COLUMNS, operationOf, rowOf, STEP_COLUMNS } from './rows.js';

const OPERATION_COLUMNS = 'id, kind, tenant, status, stops_into, milestone, cancel, failure, journal_version, status_since';

const lockStatement = (wait: 'WAIT' | 'SKIP LOCKED'): Statement => ({
  name: `windlass operation lock ${wait}`,
  text: `SELECT ${OPERATION_COLUMNS} FROM lcm.operation WHERE id = $1 FOR UPDATE ${wait === 'WAIT' ? '' : wait}`,
});
const LOCK = lockStatement('WAIT');
const LOCK_OR_SKIP = lockStatement('SKIP LOCKED');

const UPDATE_OPERATION: Statement = {
  name: 'windlass operation update',
  text: `UPDATE lcm.operation SET status = $2, stops_into = $3, milestone = $4, cancel = $5, failure = $6, status_since = $7 WHERE id = $1`,
};

const INSERT_STEPS: Statement = {
  name: 'windlass steps insert',
  text: `INSERT INTO lcm.step (${STEP_COLUMNS.join(', ')})
  SELECT ${STEP_COLUMNS.join(', ')} FROM jsonb_populate_recordset(NULL::lcm.step, $1::jsonb)`,
};

const UPDATE_STEPS: Statement = {
  name: 'windlass steps update',
  text: `UPDATE lcm.step AS s SET ${MUTABLE_STEP_COLUMNS.map((column) => `${column} = r.${column}`).join(', ')}
  FROM jsonb_populate_recordset(NULL::lcm.step, $1::jsonb) AS r WHERE s.operation_id = r.operation_id AND s.id = r.id`,
};

const LOCK_LIMIT: Statement = { name: 'windlass limit lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' };

/** In the order of the given texts, which are sorted. */
const LOCK_LIMITS: Statement = {
  name: 'windlass limits lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('limit ' || key, 0))
    FROM (SELECT key FROM unnest($1::text[]) WITH ORDINALITY AS given (key, place) ORDER BY place) AS sorted`,
};

/** Of what was committed when all the keys were locked: it is another statement. */
const COUNT_RUNNING: Statement = {
  name: 'windlass limits count',
  text: `SELECT key, count(*)::int AS n FROM lcm.step, jsonb_array_elements_text(limit_keys) AS key
    WHERE state = 'running' AND limit_keys ?| $1::text[] AND key = ANY($1::text[]) GROUP BY key`,
};

/** As `processOf` of `@windlass/saga` has it. */
const QUARANTINED_IN: Statement = {
  name: 'windlass suspects in',
  text: `SELECT losses FROM lcm.step WHERE state = 'running' AND losses > 0 AND regexp_replace(owner, '^.*@', '') = $1`,
};

/**
 * Accepted operations come first, then the wake-ups that were unheard for longest: however many steps wait for a place, none of the others is
 * starved. The pause of an unheard wake-up is that of `defaultPolicy.wakeUpAgainAfter`; one that was sent in the future was sent before the clock was set back.
 * The machine has the last word.
 */
const DUE = `SELECT id FROM (
    SELECT id, 0 AS rank, status_since AS since FROM lcm.operation WHERE status = 'accepted'
    UNION ALL
    SELECT operation_id, 1, rung_at FROM lcm.step WHERE state = 'ready' AND next_attempt_at IS NULL
      AND (rung_at IS NULL OR rung_at <= clock_timestamp() - make_interval(secs => least(30, 2 ^ least(rings, 5)))
        OR rung_at > clock_timestamp() + interval '1 second')
  ) AS due GROUP BY id ORDER BY min(rank), min(since) NULLS FIRST LIMIT $1`;

/** One row at least, so that the clock is told also when nothing is awaited. */
const AWAITED = `SELECT clock.now, step.* FROM (SELECT clock_timestamp() AS now) AS clock LEFT JOIN (
    SELECT operation_id, id, 'lease' AS kind, lease_until AS at, rung_at FROM lcm.step WHERE state = 'running' AND lease_until IS NOT NULL
    UNION ALL
    SELECT operation_id, id, 'pause', next_attempt_at, rung_at FROM lcm.step WHERE state = 'ready' AND next_attempt_at IS NOT NULL
    UNION ALL
    SELECT operation_id, id, 'dispatch', dispatch_by, rung_at FROM lcm.step WHERE state = 'ready' AND dispatch_by IS NOT NULL
  ) AS step ON true`;

const LIMIT_USE = `SELECT key, count(*) FILTER (WHERE state = 'running')::int AS running,
    count(*) FILTER (WHERE state = 'ready' AND blocked_on = key)::int AS waiting
  FROM lcm.step, jsonb_array_elements_text(limit_keys) AS key WHERE state = 'running' OR state = 'ready' GROUP BY key ORDER BY key COLLATE "C"`;

interface AwaitedRow {
  now: Date;
  operation_id: string | null;
  id: string;
  kind: AwaitedKind;
  at: Date;
  rung_at: Date | null;
}

/** The journal in PostgreSQL: plain, parametrised, prepared statements. */
export class PgJournal implements Journal {
  readonly #kept = new KeptSteps();

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {}

  async transact<T>(
    operationId: string,
    work: (tx: JournalTransaction) => Promise<T>,
    options: { skipLocked?: boolean } = {},
  ): Promise<T | undefined> {
    const locked = async (manager: EntityManager): Promise<T | undefined> => {
      const lock = options.skipLocked === true ? LOCK_OR_SKIP : LOCK;
      const [row] = await runPrepared<Record<string, unknown>>(manager, lock, [operationId]);
      if (row === undefined) return undefined;
      const { steps, now } = await this.#kept.read(manager, operationId);
      const tx = new PgTransaction(manager, this.vault, operationOf(row), steps, now);
      const answer = await work(tx);
      await tx.flush();
      return answer;
    };
    return inTransaction(this.database, locked, { remembers: true });
  }

  async due(limit: number): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(this.database.manager, DUE, [limit]);
    return rows.map(({ id }) => id);
  }

  async awaited(): Promise<{ now: Date; times: AwaitedTime[] }> {
    const rows = await rowsOf<AwaitedRow>(this.database.manager, AWAITED);
    const times = rows.flatMap(({ operation_id: operationId, id: stepId, kind, at, rung_at: rungAt }) =>
      operationId === null ? [] : [{ operationId, stepId, kind, at, rungAt }],
    );
    return { now: rows[0]?.now ?? new Date(), times };
  }

  steady(): number {
    return performance.now();
  }

  async blockedOn(key: string): Promise<WakeUp | undefined> {
    const [row] = await rowsOf<{ operation_id: string; id: string; epoch: number; service: string }>(
      this.database.manager,
      `SELECT operation_id, id, epoch, service FROM lcm.step WHERE state = 'ready' AND blocked_on = $1 ORDER BY rung_at LIMIT 1`,
      [key],
    );
    return row === undefined
      ? undefined
      : { operationId: row.operation_id, stepId: row.id, epoch: row.epoch, service: row.service };
  }

  async limitUse(): Promise<LimitUse[]> {
    return rowsOf<LimitUse>(this.database.manager, LIMIT_USE);
  }

  async withReadySteps(): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      this.database.manager,
      `SELECT DISTINCT operation_id AS id FROM lcm.step WHERE state = 'ready'`,
    );
    return rows.map(({ id }) => id);
  }
}

class PgTransaction implements JournalTransaction {
  readonly #before: string;
  readonly #payloads: PgPayloads;

  constructor(
    readonly handle: EntityManager,
    vault: Vault,
    readonly operation: OperationRecord,
    readonly steps: readonly StepRecord[],
    readonly now: Date,
  ) {
    this.#before = JSON.stringify(operation);
    this.#payloads = new PgPayloads(handle, vault, operation.id);
  }

  readPayload(stepId: string, kind: PayloadKind): Promise<Json | undefined> {
    return this.#payloads.read(stepId, kind);
  }

  writePayload(stepId: string, kind: PayloadKind, value: Json): Promise<void> {
    this.#payloads.write(stepId, kind, value);
    return Promise.resolve();
  }

  dropPayloads(kinds: readonly PayloadKind[]): Promise<void> {
    this.#payloads.drop(kinds);
    return Promise.resolve();
  }

  /** Sends what is still held back. */
  flush(): Promise<void> {
    return this.#payloads.flush();
  }

  async countRunning(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (keys.length === 0) return new Map();
    // In one order everywhere, after the operation's row: two transactions can't wait for each other.
    const sorted = [...new Set(keys)].sort();
    await runPrepared(this.handle, LOCK_LIMITS, [sorted]);
    const rows = await runPrepared<{ key: string; n: number }>(this.handle, COUNT_RUNNING, [sorted]);
    const counts = new Map(rows.map(({ key, n }) => [key, n]));
    return new Map(sorted.map((key) => [key, counts.get(key) ?? 0]));
  }

  async quarantinedIn(process: string): Promise<readonly number[]> {
    await runPrepared(this.handle, LOCK_LIMIT, [`suspects ${process}`]);
    const rows = await runPrepared<{ losses: number }>(this.handle, QUARANTINED_IN, [process]);
    return rows.map(({ losses }) => losses);
  }

  async save(steps: { inserted: readonly StepRecord[]; changed: readonly StepRecord[] }): Promise<void> {
    if (JSON.stringify(this.operation) !== this.#before) {
      const { id, status, stopsInto, milestone, cancel, failure, statusSince } = this.operation;
      const reason = failure === null ? null : JSON.stringify(failure);
      await runPrepared(this.handle, UPDATE_OPERATION, [id, status, stopsInto, milestone, cancel, reason, statusSince]);
    }
    if (steps.inserted.length > 0) await runPrepared(this.handle, INSERT_STEPS, [JSON.stringify(steps.inserted.map(rowOf))]);
    if (steps.changed.length > 0) await runPrepared(this.handle, UPDATE_STEPS, [JSON.stringify(steps.changed.map(rowOf))]);
  }
}
