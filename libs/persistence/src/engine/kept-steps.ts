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

/** Less than the revision of any step. */
const NOTHING = -1n;

/** What is read of an operation `o` with its steps `s`: one row at least, so that operation and clock are told also where there is no step. */
const COLUMNS = `${OPERATION_COLUMNS.map((column) => `o.${column} AS "${OF_OPERATION}${column}"`).join(', ')},
      ${STEP_COLUMNS.map((column) => `s.${column}`).join(', ')}, s.revision, clock_timestamp() AS read_at,
      extract(epoch FROM pg_postmaster_start_time())::text AS server`;

/**
 * Locks the operation's row, and then reads the steps above a revision: `lcm.steps_above` is called for the row that is locked, and sees what is committed by
 * then (migration 41). Rows of before have no revision.
 */
const lockStatement = (wait: 'WAIT' | 'SKIP LOCKED'): Statement => ({
  name: `windlass operation lock ${wait}`,
  text: `SELECT ${COLUMNS}
    FROM (SELECT * FROM lcm.operation WHERE id = $1 FOR UPDATE ${wait === 'WAIT' ? '' : wait}) AS o
    LEFT JOIN LATERAL lcm.steps_above(o.id, $2) AS s ON true ORDER BY s.seq`,
});
const LOCK = lockStatement('WAIT');
const LOCK_OR_SKIP = lockStatement('SKIP LOCKED');

/**
 * The same of those operations, by the revisions of each, that nobody else holds: whoever holds one of several waits for none. And for no other lock for long
 * from then on, since all that share the transaction wait with it.
 */
const LOCK_FREE: Statement = {
  name: 'windlass operations lock',
  text: `SELECT ${COLUMNS}, set_config('lock_timeout', '1s', true) AS patience
    FROM (SELECT * FROM lcm.operation WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE SKIP LOCKED) AS o
    LEFT JOIN LATERAL lcm.steps_above(o.id, ($2::jsonb->>(o.id::text))::bigint) AS s ON true ORDER BY s.seq`,
};

type Row = Record<string, unknown> & { id: string | null; revision: string | null; read_at: Date; server: string };

/** An operation whose row is locked, its steps in their order, and the database's clock. */
export interface LockedOperation {
  operation: OperationRecord;
  steps: StepRecord[];
  now: Date;
}

interface Kept {
  operationId: string;
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
    const statement = skipLocked ? LOCK_OR_SKIP : LOCK;
    const found = await this.#locked([operationId], ([[, above] = [operationId, NOTHING]]) =>
      runPrepared<Row>(manager, statement, [operationId, above.toString()]),
    );
    const [locked] = found.values();
    return locked;
  }

  /** Locks the rows of those operations that nobody else holds, and reads their steps. */
  async lockFree(manager: EntityManager, operationIds: readonly string[]): Promise<ReadonlyMap<string, LockedOperation>> {
    return this.#locked(operationIds, (above) => {
      const revisions = Object.fromEntries(above.map(([id, revision]) => [id, revision.toString()]));
      return runPrepared<Row>(manager, LOCK_FREE, [above.map(([id]) => id), JSON.stringify(revisions)]);
    });
  }

  /** @param read locks, and reads what is above the revision of each */
  async #locked(
    operationIds: readonly string[],
    read: (above: readonly (readonly [id: string, revision: bigint])[]) => Promise<Row[]>,
  ): Promise<ReadonlyMap<string, LockedOperation>> {
    const known = new Map(operationIds.flatMap((id) => this.#taken(id) ?? []).map((kept) => [kept.operationId, kept]));
    let rows = byOperation(await read(operationIds.map((id) => [id, known.get(id)?.revision ?? NOTHING])));
    const isSame = (id: string): boolean => known.get(id)?.server === rows.get(id)?.[0]?.server;
    const restarted = [...rows.keys()].filter((id) => known.has(id) && !isSame(id));
    if (restarted.length > 0) rows = new Map([...rows, ...byOperation(await read(restarted.map((id) => [id, NOTHING])))]);
    for (const id of restarted) known.delete(id);
    // Another holds those that were not found, mostly: what was known of them goes on to be known.
    for (const [id, kept] of known) if (!rows.has(id)) this.#keep(kept);
    return new Map([...rows].map(([id, its]) => [id, this.#read(id, its, known.get(id))]));
  }

  #read(operationId: string, rows: [Row, ...Row[]], known: Kept | undefined): LockedOperation {
    const [first] = rows;
    const kept: Kept = known ?? { operationId, server: first.server, revision: 0n, steps: new Map() };
    for (const row of rows) if (row.id !== null) put(kept, row);
    this.#keep(kept);
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

  #keep(kept: Kept): void {
    const { operationId } = kept;
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

function byOperation(rows: readonly Row[]): Map<string, [Row, ...Row[]]> {
  const found = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const id = row[`${OF_OPERATION}id`] as string;
    const its = found.get(id);
    if (its === undefined) found.set(id, [row]);
    else its.push(row);
  }
  return found;
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
