import type { OperationRecord, StepRecord } from '@windlass/saga';
import type { EntityManager } from 'typeorm';
import { runPrepared, type Statement } from '../prepared.js';
import { operationOf, STEP_COLUMNS, stepOf } from './rows.js';

/** Steps that are kept at most, of all operations together. An operation has some 15; of a cluster of 100 nodes it has 400, some 0.5 MB. */
const MOST_KEPT = 10_000;

const OPERATION_COLUMNS = [
  'id',
  'kind',
  'tenant',
  'status',
  'stops_into',
  'milestone',
  'cancel',
  'failure',
  'journal_version',
  'status_since',
] as const;

const OF_OPERATION = 'operation ';

/**
 * Locks the operation's row, and then reads the steps above a revision: `lcm.steps_above` is called for the row that is locked, and sees what is committed by
 * then (migration 41). One row at least, so that operation and clock are told also where there is no step. Rows of before have no revision.
 */
const lockStatement = (wait: 'WAIT' | 'SKIP LOCKED'): Statement => ({
  name: `windlass operation lock ${wait}`,
  text: `SELECT ${OPERATION_COLUMNS.map((column) => `o.${column} AS "${OF_OPERATION}${column}"`).join(', ')},
      ${STEP_COLUMNS.map((column) => `s.${column}`).join(', ')}, s.revision, clock_timestamp() AS read_at,
      extract(epoch FROM pg_postmaster_start_time())::text AS server
    FROM (SELECT * FROM lcm.operation WHERE id = $1 FOR UPDATE ${wait === 'WAIT' ? '' : wait}) AS o
    LEFT JOIN LATERAL lcm.steps_above(o.id, $2) AS s ON true ORDER BY s.seq`,
});
const LOCK = lockStatement('WAIT');
const LOCK_OR_SKIP = lockStatement('SKIP LOCKED');

type Row = Record<string, unknown> & { id: string | null; revision: string | null; read_at: Date; server: string };

/** An operation whose row is locked, its steps in their order, and the database's clock. */
export interface LockedOperation {
  operation: OperationRecord;
  steps: StepRecord[];
  now: Date;
}

interface Kept {
  /** Of the server that they were read from: its start. Another one may know less, after a restore or a failover. */
  server: string;
  revision: bigint;
  /** As they were committed; never changed, and given away as copies alone. */
  steps: Map<string, StepRecord>;
}

/**
 * What the steps of operations were when they were last read here, so that each transaction reads only those that were changed since, by whomever:
 * an operation of a big cluster has hundreds, and a transaction changes two or three.
 */
export class KeptSteps {
  /** In the order in which they were last wanted. */
  readonly #operations = new Map<string, Kept>();
  #count = 0;

  /** Locks an operation's row and reads its steps. Undefined where there is none; with `skipLocked`, also where another transaction holds the lock. */
  async lock(
    manager: EntityManager,
    operationId: string,
    { skipLocked = false }: { skipLocked?: boolean } = {},
  ): Promise<LockedOperation | undefined> {
    const above = (revision = -1n): Promise<Row[]> =>
      runPrepared<Row>(manager, skipLocked ? LOCK_OR_SKIP : LOCK, [operationId, revision.toString()]);
    const known = this.#taken(operationId);
    let rows = await above(known?.revision);
    const isSame = known !== undefined && known.server === rows[0]?.server;
    if (known !== undefined && !isSame && rows.length > 0) rows = await above();
    const [first] = rows;
    if (first === undefined) {
      // Another holds it, mostly: what was known of it goes on to be known.
      if (known !== undefined) this.#keep(operationId, known);
      return undefined;
    }
    const kept: Kept = isSame ? known : { server: first.server, revision: 0n, steps: new Map() };
    for (const row of rows) if (row.id !== null) put(kept, row);
    this.#keep(operationId, kept);
    const steps = [...kept.steps.values()].map((step) => ({ ...step }));
    return { operation: operationIn(first), steps, now: first.read_at };
  }

  #taken(operationId: string): Kept | undefined {
    const kept = this.#operations.get(operationId);
    if (kept === undefined) return undefined;
    this.#operations.delete(operationId);
    this.#count -= kept.steps.size;
    return kept;
  }

  #keep(operationId: string, kept: Kept): void {
    // Another transaction, which had the lock before, may have kept them meanwhile.
    this.#taken(operationId);
    this.#operations.set(operationId, kept);
    this.#count += kept.steps.size;
    for (const [oldest, { steps }] of this.#operations) {
      if (this.#count <= MOST_KEPT) return;
      this.#operations.delete(oldest);
      this.#count -= steps.size;
    }
  }
}

const operationIn = (row: Row): OperationRecord =>
  operationOf(Object.fromEntries(OPERATION_COLUMNS.map((column) => [column, row[`${OF_OPERATION}${column}`]])));

function put(kept: Kept, row: Row): void {
  const { revision } = row;
  const step = stepOf(Object.fromEntries(STEP_COLUMNS.map((column) => [column, row[column]])));
  // The copies share what never changes once a step is there.
  for (const shared of [step.deps, step.limitKeys, step.groups, ...step.groups, step.traits]) Object.freeze(shared);
  kept.steps.set(step.id, step);
  const changed = BigInt(revision ?? 0);
  if (changed > kept.revision) kept.revision = changed;
}
