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
  Vacancy,
  StepRecord,
  WantedPlaces,
} from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { runPrepared, runPreparedAlone, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { holdWrite, inTransaction } from '../transaction.js';
import { KeptSteps, type LockedOperation } from './kept-steps.js';
import { LimitPlaces, PlacesContended } from './limit-places.js';
import { PgPayloads } from './payloads.js';
import { MUTABLE_STEP_COLUMNS, rowOf, STEP_COLUMNS } from './rows.js';

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

const LOCK_PROCESS: Statement = { name: 'windlass suspects lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' };

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

const LIMIT_USE = `SELECT key, count(*) FILTER (WHERE state = 'running' AND waiting_epoch IS DISTINCT FROM epoch)::int AS running,
    count(*) FILTER (WHERE state = 'ready' AND blocked_on = key)::int AS waiting
  FROM lcm.step, jsonb_array_elements_text(limit_keys) AS key WHERE state = 'running' OR state = 'ready' GROUP BY key ORDER BY key COLLATE "C"`;

/** Whether there is a place is asked only where somebody waits. Only what is committed counts: whoever commits later looks again. */
const WAITING: Statement = {
  name: 'windlass who waits for a place',
  text: `SELECT step.operation_id, step.id, step.epoch, step.service, CASE WHEN vacancy.most IS NULL THEN true ELSE
      (SELECT count(*) FROM lcm.step AS running WHERE running.state = 'running' AND running.waiting_epoch IS DISTINCT FROM running.epoch
        AND running.limit_keys ? vacancy.key) < vacancy.most END AS has_place
    FROM unnest($1::text[], $2::int[]) AS vacancy (key, most) CROSS JOIN LATERAL (
      SELECT operation_id, id, epoch, service FROM lcm.step WHERE state = 'ready' AND blocked_on = vacancy.key ORDER BY rung_at LIMIT 1) AS step`,
};

interface WaitingRow {
  operation_id: string;
  id: string;
  epoch: number;
  service: string;
  has_place: boolean;
}

type CountPlaces = JournalTransaction['countRunning'];

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
  readonly #places = new LimitPlaces();

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {}

  async transact<T>(
    operationId: string,
    work: (tx: JournalTransaction) => Promise<T>,
    options: { skipLocked?: boolean } = {},
  ): Promise<T | undefined> {
    try {
      return await this.#transact(operationId, work, { ...options, alone: false });
    } catch (error) {
      if (!(error instanceof PlacesContended)) throw error;
      return this.#transact(operationId, work, { ...options, alone: true });
    }
  }

  #transact<T>(
    operationId: string,
    work: (tx: JournalTransaction) => Promise<T>,
    options: { skipLocked?: boolean; alone: boolean },
  ): Promise<T | undefined> {
    const underLock = async (manager: EntityManager): Promise<T | undefined> => {
      const locked = await this.#kept.lock(manager, operationId, options);
      if (locked === undefined) return undefined;
      const count: CountPlaces = (wanted) => this.#places.count(manager, wanted, options.alone);
      const tx = new PgTransaction(manager, this.vault, locked, count);
      const answer = await work(tx);
      await tx.flush();
      return answer;
    };
    return inTransaction(this.database, underLock, { remembers: true });
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

  async waiting(vacancies: readonly Vacancy[]): Promise<WakeUp[]> {
    const rows = await runPreparedAlone<WaitingRow>(this.database, WAITING, [
      vacancies.map(({ key }) => key),
      vacancies.map(({ limit }) => limit),
    ]);
    return rows
      .filter((row) => row.has_place)
      .map(({ operation_id: operationId, id: stepId, epoch, service }) => ({ operationId, stepId, epoch, service }));
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
  readonly operation: OperationRecord;
  readonly steps: readonly StepRecord[];
  readonly now: Date;
  readonly #before: string;
  readonly #payloads: PgPayloads;

  constructor(
    readonly handle: EntityManager,
    vault: Vault,
    { operation, steps, now }: LockedOperation,
    private readonly countPlaces: CountPlaces,
  ) {
    this.operation = operation;
    this.steps = steps;
    this.now = now;
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

  /** Hands what the payloads have held back to the transaction's end. */
  flush(): Promise<void> {
    return this.#payloads.flush();
  }

  countRunning(wanted: readonly WantedPlaces[]): Promise<ReadonlyMap<string, number>> {
    return this.countPlaces(wanted);
  }

  async quarantinedIn(process: string): Promise<readonly number[]> {
    await runPrepared(this.handle, LOCK_PROCESS, [`suspects ${process}`]);
    const rows = await runPrepared<{ losses: number }>(this.handle, QUARANTINED_IN, [process]);
    return rows.map(({ losses }) => losses);
  }

  async save({ inserted, changed }: { inserted: readonly StepRecord[]; changed: readonly StepRecord[] }): Promise<void> {
    const { id, status, stopsInto, milestone, cancel, failure, statusSince } = this.operation;
    const reason = failure === null ? null : JSON.stringify(failure);
    if (JSON.stringify(this.operation) !== this.#before)
      await this.#hold(UPDATE_OPERATION, [id, status, stopsInto, milestone, cancel, reason, statusSince]);
    if (inserted.length > 0) await this.#hold(INSERT_STEPS, [JSON.stringify(inserted.map(rowOf))]);
    if (changed.length > 0) await this.#hold(UPDATE_STEPS, [JSON.stringify(changed.map(rowOf))]);
  }

  #hold(statement: Statement, values: unknown[]): Promise<void> {
    return holdWrite(this.handle, statement.name, () => ({ statement, values: () => values }));
  }
}
