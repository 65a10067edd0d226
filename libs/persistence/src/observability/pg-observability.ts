import type { OpOccRecord } from '@windlass/lifecycle';
import type { Vnfc } from '@windlass/mgmt-driver';
import { countSteps, type OperationStatus, type StepCount, type StepRecord } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';
import { STEP_COLUMNS, stepOf } from '../engine/rows.js';

/** The steps of an operation, and when they were read. */
export interface StepsRead {
  status: OperationStatus;
  /** When they were removed, since the operation ended longer ago than journals are kept; null while they are there. */
  purgedAt: Date | null;
  /** The database's clock. */
  now: Date;
  steps: StepRecord[];
}

/** What people see of an operation occurrence while it runs: its record without what was asked for, which is sealed and long. */
export type ObservedOperation = Pick<
  OpOccRecord,
  | 'id'
  | 'vnfInstanceId'
  | 'operation'
  | 'operationState'
  | 'stateEnteredTime'
  | 'startTime'
  | 'isCancelPending'
  | 'cancelMode'
  | 'error'
  | 'warnings'
>;

/** A machine of an operation, as far as people are told which it is. */
export type ObservedMachine = Pick<Vnfc, 'id' | 'resourceId' | 'name' | 'cps'>;

/** Which operations a live view is about. */
export interface ObservationScope {
  tenant: string;
  operationId?: string;
  vnfInstanceId?: string;
}

/** Operations that changed since a position, and the position to ask from the next time. */
export interface Changes {
  position: string;
  operationIds: string[];
}

const OBSERVED_COLUMNS = `id, vnf_instance_id AS "vnfInstanceId", operation, operation_state AS "operationState", is_cancel_pending AS "isCancelPending",
  cancel_mode AS "cancelMode", state_entered_time AS "stateEnteredTime", start_time AS "startTime", error, warnings`;

const OPEN = `operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')`;

/** Reads operations as people look at them. Locks nothing, opens nothing that is sealed. */
export class PgObservability {
  constructor(private readonly database: DataSource) {}

  /** The steps in the order of the journal. Undefined when there is no such operation. */
  async steps(operationId: string): Promise<StepsRead | undefined> {
    const rows = await rowsOf<Record<string, unknown>>(
      this.database.manager,
      `SELECT o.status AS operation_status, o.journal_purged_at, clock_timestamp() AS read_at, ${STEP_COLUMNS.map((column) => `s.${column}`).join(', ')}
       FROM lcm.operation AS o LEFT JOIN lcm.step AS s ON s.operation_id = o.id WHERE o.id = $1 ORDER BY s.seq`,
      [operationId],
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const steps = rows.filter(({ id }) => id !== null);
    return {
      status: first.operation_status as OperationStatus,
      purgedAt: first.journal_purged_at as Date | null,
      now: first.read_at as Date,
      steps: steps.map(({ operation_status: _status, journal_purged_at: _purged, read_at: _at, ...row }) => stepOf(row)),
    };
  }

  /** The VMs that the operation has made so far and those that its instance has on record, each once by its id at the VIM. */
  async machines(operationId: string): Promise<ObservedMachine[]> {
    const [row] = await rowsOf<{ made: ObservedMachine[] | null; kept: ObservedMachine[] | null }>(
      this.database.manager,
      `SELECT o.draft->'instantiated'->'vnfcs' AS made, i.instantiated->'vnfcs' AS kept
       FROM lcm.vnf_lcm_op_occ AS o LEFT JOIN lcm.vnf_instance AS i ON i.id = o.vnf_instance_id WHERE o.id = $1`,
      [operationId],
    );
    const all = [...(row?.made ?? []), ...(row?.kept ?? [])];
    const byResource = new Map(all.toReversed().map((machine) => [machine.resourceId, machine]));
    return [...byResource.values()];
  }

  /** How many steps stand where, without reading them. */
  async count(operationId: string): Promise<StepCount> {
    const rows = await rowsOf<Pick<StepRecord, 'phase' | 'state'> & { n: number }>(
      this.database.manager,
      'SELECT phase, state, count(*)::int AS n FROM lcm.step WHERE operation_id = $1 GROUP BY phase, state',
      [operationId],
    );
    return countSteps(rows.flatMap(({ n, ...step }) => Array.from({ length: n }, () => step)));
  }

  async operation({ tenant, operationId }: ObservationScope & { operationId: string }): Promise<ObservedOperation | undefined> {
    const [row] = await rowsOf<ObservedOperation>(
      this.database.manager,
      `SELECT ${OBSERVED_COLUMNS} FROM lcm.vnf_lcm_op_occ WHERE id = $1 AND tenant = $2`,
      [operationId, tenant],
    );
    return row;
  }

  /** The operations in the scope that are not final, or the one that the scope names, in the order of their start. */
  async snapshot({ tenant, operationId, vnfInstanceId }: ObservationScope): Promise<Changes> {
    return this.#changes(
      `SELECT id FROM lcm.vnf_lcm_op_occ WHERE tenant = $1 AND ($2::uuid IS NULL OR id = $2) AND ($3::uuid IS NULL OR vnf_instance_id = $3)
       AND ($2::uuid IS NOT NULL OR ${OPEN}) ORDER BY start_time, id`,
      [tenant, operationId ?? null, vnfInstanceId ?? null],
    );
  }

  /**
   * The operations in the scope of which people may see something new since a position.
   * A change may be told twice, never left out. Undefined for a position that this database can't have given: take a snapshot.
   */
  async since(position: string, { tenant, operationId, vnfInstanceId }: ObservationScope): Promise<Changes | undefined> {
    if (!/^\d{1,19}$/.test(position)) return undefined;
    const changes = await this.#changes(
      `SELECT id FROM lcm.vnf_lcm_op_occ WHERE tenant = $1 AND ($2::uuid IS NULL OR id = $2) AND ($3::uuid IS NULL OR vnf_instance_id = $3)
         AND changed_in >= $4::xid8
       UNION
       SELECT id FROM lcm.vnf_lcm_op_occ AS o WHERE tenant = $1 AND ($2::uuid IS NULL OR id = $2) AND ($3::uuid IS NULL OR vnf_instance_id = $3)
         AND ${OPEN} AND EXISTS (SELECT 1 FROM lcm.step AS s WHERE s.operation_id = o.id AND s.changed_in >= $4::xid8)`,
      [tenant, operationId ?? null, vnfInstanceId ?? null, position],
    );
    return BigInt(changes.position) < BigInt(position) ? undefined : changes;
  }

  /** Ids and position of one snapshot: a statement has one. */
  async #changes(ids: string, parameters: unknown[]): Promise<Changes> {
    const rows = await rowsOf<{ position: string; id: string | null }>(
      this.database.manager,
      `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS position, found.id
       FROM (SELECT 1) AS one LEFT JOIN (${ids}) AS found ON true`,
      parameters,
    );
    const position = rows[0]?.position ?? '0';
    return { position, operationIds: rows.flatMap(({ id }) => (id === null ? [] : [id])) };
  }
}
