import { randomUUID } from 'node:crypto';
import { InvariantError, RequestError } from '@windlass/foundation';
import {
  beginMessage,
  INTERNAL_KINDS,
  type AuditView,
  type InternalKind,
  type InternalRecord,
  type InternalState,
  type InternalStore,
  type InternalVim,
  type LcmEvent,
  type NewInternal,
  type SubjectOf,
  type VimAccess,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { JOURNAL_VERSION } from '@windlass/saga';
import { rowsOf } from '../database.js';
import { VimEntity } from '../entities/vim.entity.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { runPrepared, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { readAuditView } from './audit-view.js';
import { managerOf } from './handle.js';
import { instanceOf } from './instance-rows.js';
import { registeredAccess } from './vim-access.js';

const COLUMNS = `i.id, o.kind, o.tenant, i.vnf_instance_id, i.vim_id, i.subject, i.state, i.attempts, i.retry_at, i.error, i.outcome,
  o.created_at, i.changed_at`;

interface InternalRow {
  id: string;
  kind: InternalKind;
  tenant: string;
  vnf_instance_id: string | null;
  vim_id: string | null;
  subject: Buffer;
  state: InternalState;
  attempts: number;
  retry_at: Date | null;
  error: InternalRecord['error'];
  outcome: InternalRecord['outcome'];
  created_at: Date;
  changed_at: Date;
}

/** Internal operations of one kind that have not ended. */
export interface PendingInternals {
  kind: InternalKind;
  pending: number;
  /** Seconds since the oldest of them was begun; 0 when there is none. */
  oldestAge: number;
}

const IS_CLEANED_UP: Statement = {
  name: 'windlass clean-up of an instance',
  text: `SELECT EXISTS (SELECT FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
    WHERE i.vnf_instance_id = $1 AND i.state = 'PENDING' AND o.kind = 'CLEAN_UP') AS found`,
};

const place = (id: string): string => `lcm.internal_operation.subject ${id}`;

/** Internal sagas in PostgreSQL, and what they look at. A handle is a TypeORM entity manager. */
export abstract class PgInternalStore implements InternalStore {
  #deploymentId: string | undefined;

  constructor(protected readonly vault: Vault) {}

  /** Writes rows of the outbox with the transaction. */
  abstract emit(handle: unknown, events: readonly LcmEvent[]): Promise<void>;

  async beginInternal<K extends InternalKind>(handle: unknown, begin: NewInternal<K>): Promise<string> {
    const manager = managerOf(handle);
    const id = randomUUID();
    await manager.query(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, $2, $3, 'accepted', $4)`,
      [id, begin.kind, begin.tenant, JOURNAL_VERSION],
    );
    await manager.query(`INSERT INTO lcm.internal_operation (id, vnf_instance_id, vim_id, subject) VALUES ($1, $2, $3, $4)`, [
      id,
      begin.vnfInstanceId,
      begin.vimId,
      this.vault.sealJson(begin.subject, place(id)),
    ]);
    await this.emit(manager, [beginMessage(id)]);
    return id;
  }

  async internal<K extends InternalKind>(handle: unknown, id: string): Promise<InternalRecord<K>> {
    const [row] = await rowsOf<InternalRow>(
      managerOf(handle),
      `SELECT ${COLUMNS} FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id WHERE i.id = $1`,
      [id],
    );
    if (row === undefined) throw new RequestError(404, 'internal-operation.unknown', `there is no internal operation ${id}`);
    return this.#recordOf<K>(row);
  }

  /** The newest first, of a project; those of one kind. */
  async internals<K extends InternalKind>(handle: unknown, tenant: string, kind: K, limit: number): Promise<InternalRecord<K>[]> {
    const rows = await rowsOf<InternalRow>(
      managerOf(handle),
      `SELECT ${COLUMNS} FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
       WHERE o.tenant = $1 AND o.kind = $2 ORDER BY o.created_at DESC LIMIT $3`,
      [tenant, kind, limit],
    );
    return rows.map((row) => this.#recordOf<K>(row));
  }

  async saveInternal<K extends InternalKind>(handle: unknown, record: InternalRecord<K>): Promise<void> {
    await managerOf(handle).query(
      `UPDATE lcm.internal_operation SET subject = $2, state = $3, attempts = $4, retry_at = $5, error = $6, outcome = $7, changed_at = $8
       WHERE id = $1`,
      [
        record.id,
        this.vault.sealJson(record.subject, place(record.id)),
        record.state,
        record.attempts,
        record.retryAt,
        record.error === null ? null : JSON.stringify(record.error),
        record.outcome === null ? null : JSON.stringify(record.outcome),
        record.changedAt,
      ],
    );
  }

  /** How many of each kind have not ended, and how old the oldest of them is; of all projects, a kind of which there are none included. */
  async pendingInternals(handle: unknown): Promise<PendingInternals[]> {
    return rowsOf<PendingInternals>(
      managerOf(handle),
      `SELECT k.kind, count(o.id)::int AS pending, coalesce(extract(epoch FROM clock_timestamp() - min(o.created_at)), 0)::float8 AS "oldestAge"
       FROM unnest($1::text[]) AS k (kind)
       LEFT JOIN (lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id AND i.state = 'PENDING') ON o.kind = k.kind
       GROUP BY k.kind ORDER BY k.kind COLLATE "C"`,
      [INTERNAL_KINDS],
    );
  }

  /** Whether something of the instance is being removed: no operation may begin meanwhile. */
  async isCleanedUp(handle: unknown, vnfInstanceId: string): Promise<boolean> {
    const [row] = await runPrepared<{ found: boolean }>(managerOf(handle), IS_CLEANED_UP, [vnfInstanceId]);
    return row?.found === true;
  }

  async internalVimAccess(handle: unknown, tenant: string, { choice, access }: InternalVim): Promise<VimAccess> {
    if (access !== undefined) return access;
    return registeredAccess(managerOf(handle), this.vault, tenant, choice.vimId ?? '', choice.connectionId);
  }

  async lockInstance(handle: unknown, id: string): Promise<VnfInstanceRecord | undefined> {
    const manager = managerOf(handle);
    await manager.query('SELECT id FROM lcm.vnf_instance WHERE id = $1 FOR UPDATE', [id]);
    const row = await manager.findOneBy(VnfInstanceEntity, { id });
    return row === null ? undefined : instanceOf(row, this.vault);
  }

  async operatedSince(handle: unknown, vnfInstanceId: string, since: Date): Promise<boolean> {
    const [row] = await rowsOf<{ found: boolean }>(
      managerOf(handle),
      `SELECT EXISTS (SELECT FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = $1
         AND (operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK') OR state_entered_time >= $2)) AS found`,
      [vnfInstanceId, since],
    );
    return row?.found === true;
  }

  async isSnapshotKept(handle: unknown, operationId: string): Promise<boolean> {
    const [row] = await rowsOf<{ found: boolean }>(
      managerOf(handle),
      `SELECT EXISTS (SELECT FROM lcm.internal_operation AS i JOIN lcm.cluster_snapshot AS s ON s.vnf_instance_id = i.vnf_instance_id
         WHERE i.id = $1 AND s.operation_id = i.id AND s.kept_at IS NOT NULL) AS found`,
      [operationId],
    );
    return row?.found === true;
  }

  async unregisterVim(handle: unknown, tenant: string, vimId: string): Promise<void> {
    await managerOf(handle).delete(VimEntity, { id: vimId, tenant });
  }

  /** Made with the database, and never another one: it is asked for once. */
  async deploymentId(handle: unknown): Promise<string> {
    if (this.#deploymentId !== undefined) return this.#deploymentId;
    const [row] = await rowsOf<{ id: string }>(managerOf(handle), 'SELECT id FROM lcm.deployment');
    if (row === undefined) throw new InvariantError('the database has no deployment id');
    this.#deploymentId = row.id;
    return row.id;
  }

  auditView(handle: unknown, since?: Date): Promise<AuditView> {
    return readAuditView(managerOf(handle), since);
  }

  #recordOf<K extends InternalKind>(row: InternalRow): InternalRecord<K> {
    return {
      id: row.id,
      kind: row.kind as K,
      tenant: row.tenant,
      vnfInstanceId: row.vnf_instance_id,
      vimId: row.vim_id,
      subject: this.vault.openJson(row.subject, place(row.id)) as SubjectOf[K],
      state: row.state,
      attempts: row.attempts,
      retryAt: row.retry_at,
      error: row.error,
      outcome: row.outcome,
      createdAt: row.created_at,
      changedAt: row.changed_at,
    };
  }
}
