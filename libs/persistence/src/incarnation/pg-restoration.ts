import type { AuditReport } from '@windlass/lifecycle';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import type { IncarnationCause } from './raise-incarnation.js';

/** The incarnation of the record, and whether work may begin. */
export interface Incarnation {
  number: number;
  cause: IncarnationCause;
  /** Up to when the record went that was brought back; null where that is not known. */
  recordOf: Date | null;
  beganAt: Date;
  /** Null: nothing is claimed but audits. */
  releasedAt: Date | null;
  /** `audits`, or who released it without them. */
  releasedBy: string | null;
  /** Steps that ran then, of operations that have not ended, and of which nobody has said since what became of them. */
  unknownSteps: number;
}

/** An audit that the release waits for, of one project. */
export interface RestoredAudit {
  operationId: string;
  tenant: string;
  state: 'PENDING' | 'DONE' | 'GIVEN_UP';
  /** Seconds since it ended, or since it last changed. */
  age: number;
  report: AuditReport | null;
}

/** What follows from the record's having been brought back from a backup (ADR 111). */
export class PgRestoration {
  constructor(private readonly database: DataSource) {}

  /** Undefined of a record that was never brought back. */
  async current(manager: EntityManager = this.database.manager): Promise<Incarnation | undefined> {
    const [row] = await rowsOf<Omit<Incarnation, 'number'> & { number: string }>(
      manager,
      `SELECT number::text AS number, cause, record_of AS "recordOf", began_at AS "beganAt", released_at AS "releasedAt", released_by AS "releasedBy",
         (SELECT count(*) FROM lcm.restored_step AS r JOIN lcm.operation AS o ON o.id = r.operation_id
          WHERE o.status NOT IN ('completed', 'rolled-back', 'abandoned'))::int AS "unknownSteps"
       FROM lcm.incarnation ORDER BY lcm.incarnation.number DESC LIMIT 1`,
    );
    return row && { ...row, number: Number(row.number) };
  }

  async isUnknown(operationId: string, stepId: string): Promise<boolean> {
    const [row] = await rowsOf<{ found: boolean }>(
      this.database.manager,
      'SELECT EXISTS (SELECT FROM lcm.restored_step WHERE operation_id = $1 AND step_id = $2) AS found',
      [operationId, stepId],
    );
    return row?.found === true;
  }

  async isKnown(operationId: string, stepId: string): Promise<void> {
    await this.database.query('DELETE FROM lcm.restored_step WHERE operation_id = $1 AND step_id = $2', [operationId, stepId]);
  }

  /** Of these operations, or of all that have not ended, the audits. */
  async unfinishedAudits(): Promise<Set<string>> {
    const rows = await rowsOf<{ id: string }>(
      this.database.manager,
      `SELECT id FROM lcm.operation WHERE kind = 'AUDIT' AND status NOT IN ('completed', 'rolled-back', 'abandoned')`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  async isAudit(operationId: string): Promise<boolean> {
    const [row] = await rowsOf<{ kind: string }>(this.database.manager, 'SELECT kind FROM lcm.operation WHERE id = $1', [
      operationId,
    ]);
    return row?.kind === 'AUDIT';
  }

  /** The newest audit of each project that was begun for this incarnation. */
  async audits(incarnation: number, manager: EntityManager = this.database.manager): Promise<RestoredAudit[]> {
    return rowsOf<RestoredAudit>(
      manager,
      `SELECT DISTINCT ON (a.tenant) a.operation_id AS "operationId", a.tenant, coalesce(i.state, 'GIVEN_UP') AS state, i.outcome AS report,
         coalesce(extract(epoch FROM clock_timestamp() - i.changed_at), 1e9)::float8 AS age
       FROM lcm.restored_audit AS a LEFT JOIN lcm.internal_operation AS i ON i.id = a.operation_id
       WHERE a.incarnation = $1 ORDER BY a.tenant, i.changed_at DESC NULLS LAST`,
      [incarnation],
    );
  }

  /** Projects that have something in a VIM, or may have. */
  async tenants(manager: EntityManager): Promise<string[]> {
    const sql = 'SELECT tenant FROM vim.vim UNION SELECT tenant FROM lcm.vnf_instance ORDER BY tenant';
    return (await rowsOf<{ tenant: string }>(manager, sql)).map(({ tenant }) => tenant);
  }

  /** Undefined where another coordinator is at it. */
  async alone<T>(work: (manager: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(async (manager) => {
      const sql = `SELECT pg_try_advisory_xact_lock(hashtextextended('windlass restoration', 0)) AS locked`;
      const [row] = await rowsOf<{ locked: boolean }>(manager, sql);
      return row?.locked === true ? work(manager) : undefined;
    });
  }

  async addAudit(manager: EntityManager, incarnation: number, tenant: string, operationId: string): Promise<void> {
    await manager.query('INSERT INTO lcm.restored_audit (operation_id, incarnation, tenant) VALUES ($1, $2, $3)', [
      operationId,
      incarnation,
      tenant,
    ]);
  }

  /** Work may begin. What waited for it was not left lying by its workers. @returns whether it had to wait until now */
  async release(manager: EntityManager, incarnation: number, by: string): Promise<boolean> {
    const rows = await rowsOf(
      manager,
      'UPDATE lcm.incarnation SET released_at = clock_timestamp(), released_by = $2 WHERE number = $1 AND released_at IS NULL RETURNING number',
      [incarnation, by],
    );
    if (rows.length > 0)
      await manager.query(`UPDATE lcm.step SET dispatch_by = NULL WHERE state = 'ready' AND dispatch_by IS NOT NULL`);
    return rows.length > 0;
  }
}
