import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { runPrepared, runPreparedAlone, type Statement } from '../prepared.js';

/** A request as the trail tells it: who asked for what, and how it was answered. Never a body. */
export interface RequestEntry {
  requestId: string;
  /** Null where nobody was identified. */
  tenant: string | null;
  actor: string | null;
  roles: readonly string[];
  remoteAddress: string | null;
  method: string;
  /** The path, without its query. */
  resource: string;
  status: number;
  /** The problem's code, of a refusal. */
  code: string | null;
  /** `INSTANTIATE`; or the task on an operation, `RETRY`. */
  operation: string | null;
  vnfInstanceId: string | null;
  operationId: string | null;
  /** Such as how many refusals before it went unrecorded. */
  detail: Record<string, number | string> | null;
}

/** An entry as it is read. */
export interface TrailEntry extends Omit<RequestEntry, 'requestId' | 'roles' | 'method' | 'resource' | 'status'> {
  id: string;
  at: Date;
  kind: 'request' | 'outcome' | 'purge';
  requestId: string | null;
  roles: string[] | null;
  method: string | null;
  resource: string | null;
  status: number | null;
  /** Of an outcome. */
  operationState: string | null;
  /** Of a request about an operation: where it stood the next time that it came to rest. Null before. */
  outcome: { operationState: string; code: string | null; at: string } | null;
}

export interface TrailFilter {
  /** Entries at this time or later. */
  from?: Date;
  /** Entries before this time. */
  before?: Date;
  vnfInstanceId?: string;
  operationId?: string;
  actor?: string;
}

const COLUMNS = `t.id::text AS id, t.at, t.kind, t.tenant, t.actor, t.roles, t.remote_address AS "remoteAddress", t.request_id AS "requestId",
  t.method, t.resource, t.status, t.code, t.operation, t.vnf_instance_id AS "vnfInstanceId", t.operation_id AS "operationId",
  t.operation_state AS "operationState", t.detail`;

/** Of whose entries: each has them in their order in an index, which has none for two together. */
const newestOf = (whose: string): string => `(
    SELECT * FROM lcm.audit_trail AS t WHERE ${whose} AND ($3::bigint IS NULL OR t.id < $3)
      AND ($4::timestamptz IS NULL OR t.at >= $4) AND ($5::timestamptz IS NULL OR t.at < $5)
      AND ($6::uuid IS NULL OR t.vnf_instance_id = $6) AND ($7::uuid IS NULL OR t.operation_id = $7)
      AND ($8::text IS NULL OR t.actor = $8)
    ORDER BY t.id DESC LIMIT $9)`;

/** Writes the entry that the values of {@link entryValues} tell. */
export const INSERT_ENTRY = `INSERT INTO lcm.audit_trail (kind, request_id, tenant, actor, roles, remote_address, method, resource, status, code,
      operation, vnf_instance_id, operation_id, detail)
    VALUES ('request', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

/** Each request that changes anything has one. */
export const ADD_ENTRY: Statement = { name: 'windlass audit trail entry', text: INSERT_ENTRY };

/** The thirteen parameters of {@link INSERT_ENTRY}, in its order. */
export const entryValues = (entry: RequestEntry): unknown[] => [
  entry.requestId,
  entry.tenant,
  entry.actor,
  entry.roles,
  entry.remoteAddress,
  entry.method,
  entry.resource,
  entry.status,
  entry.code,
  entry.operation,
  entry.vnfInstanceId,
  entry.operationId,
  entry.detail === null ? null : JSON.stringify(entry.detail),
];

/** The audit trail in PostgreSQL: entries are added and read, nothing else; `lcm.purge_audit_trail` alone removes (migration 4). */
export class PgAuditTrail {
  constructor(private readonly database: DataSource) {}

  /** Adds an entry, in the caller's transaction if it gives one. */
  async add(entry: RequestEntry, manager?: EntityManager): Promise<void> {
    const values = entryValues(entry);
    await (manager === undefined ? runPreparedAlone(this.database, ADD_ENTRY, values) : runPrepared(manager, ADD_ENTRY, values));
  }

  /**
   * A page of a project's entries, the newest first.
   * @param scope the project; with `unowned`, also what belongs to none: refused clients without a name and purges
   * @param after id of the last entry of the page before
   */
  page(
    scope: { tenant: string; unowned: boolean },
    filter: TrailFilter,
    after: string | undefined,
    limit: number,
  ): Promise<TrailEntry[]> {
    return rowsOf<TrailEntry>(
      this.database.manager,
      `SELECT ${COLUMNS}, outcome.told AS outcome FROM (${newestOf('t.tenant = $1')} UNION ALL ${newestOf('$2 AND t.tenant IS NULL')}) AS t
       LEFT JOIN LATERAL (
         SELECT jsonb_build_object('operationState', o.operation_state, 'code', o.code, 'at', o.at) AS told FROM lcm.audit_trail AS o
         WHERE t.kind = 'request' AND t.status < 400 AND o.kind = 'outcome' AND o.operation_id = t.operation_id AND o.id > t.id
         ORDER BY o.id LIMIT 1
       ) AS outcome ON true
       ORDER BY t.id DESC LIMIT $9`,
      [
        scope.tenant,
        scope.unowned,
        after ?? null,
        filter.from ?? null,
        filter.before ?? null,
        filter.vnfInstanceId ?? null,
        filter.operationId ?? null,
        filter.actor ?? null,
        limit,
      ],
    );
  }
}
