import type { StepRecord } from '@windlass/saga';
import type { EntityManager } from 'typeorm';
import { runPrepared, type Statement } from '../prepared.js';
import { STEP_COLUMNS, stepOf } from './rows.js';

/** Steps that are kept at most, of all operations together. An operation has some 15; of a cluster of 100 nodes it has 400, some 0.5 MB. */
const MOST_KEPT = 10_000;

/** Steps above a revision; one row at least, so that the clock is told also where there is none. Rows of before have no revision. */
const READ_STEPS: Statement = {
  name: 'windlass steps read above a revision',
  text: `SELECT ${STEP_COLUMNS.map((column) => `s.${column}`).join(', ')}, s.revision, clock_timestamp() AS read_at,
      extract(epoch FROM pg_postmaster_start_time())::text AS server
    FROM (SELECT 1) AS one LEFT JOIN lcm.step AS s ON s.operation_id = $1 AND coalesce(s.revision, 0) > $2 ORDER BY s.seq`,
};

type Row = Record<string, unknown> & { id: string | null; revision: string | null; read_at: Date; server: string };

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

  /** Reads an operation's steps, in their order, and the database's clock. The caller holds the lock of the operation's row. */
  async read(manager: EntityManager, operationId: string): Promise<{ steps: StepRecord[]; now: Date }> {
    const known = this.#taken(operationId);
    let rows = await this.#above(manager, operationId, known?.revision);
    const isSame = known !== undefined && known.server === rows[0]?.server;
    if (known !== undefined && !isSame) rows = await this.#above(manager, operationId, undefined);
    const kept: Kept = isSame ? known : { server: rows[0]?.server ?? '', revision: 0n, steps: new Map() };
    for (const row of rows) if (row.id !== null) put(kept, row);
    this.#keep(operationId, kept);
    const steps = [...kept.steps.values()].map((step) => ({ ...step }));
    return { steps, now: rows[0]?.read_at ?? new Date() };
  }

  #above(manager: EntityManager, operationId: string, revision = -1n): Promise<Row[]> {
    return runPrepared<Row>(manager, READ_STEPS, [operationId, revision.toString()]);
  }

  #taken(operationId: string): Kept | undefined {
    const kept = this.#operations.get(operationId);
    if (kept === undefined) return undefined;
    this.#operations.delete(operationId);
    this.#count -= kept.steps.size;
    return kept;
  }

  #keep(operationId: string, kept: Kept): void {
    this.#operations.set(operationId, kept);
    this.#count += kept.steps.size;
    for (const [oldest, { steps }] of this.#operations) {
      if (this.#count <= MOST_KEPT) return;
      this.#operations.delete(oldest);
      this.#count -= steps.size;
    }
  }
}

function put(kept: Kept, { revision, read_at: _readAt, server: _server, ...row }: Row): void {
  const step = stepOf(row);
  // The copies share what never changes once a step is there.
  for (const shared of [step.deps, step.limitKeys, step.groups, ...step.groups, step.traits]) Object.freeze(shared);
  kept.steps.set(step.id, step);
  const changed = BigInt(revision ?? 0);
  if (changed > kept.revision) kept.revision = changed;
}
