import { InvariantError, RequestError, type JsonObject } from '@windlass/foundation';
import type {
  LcmEvent,
  LcmStore,
  OpOccRecord,
  PackageRecord,
  VimAccess,
  VimChoice,
  VnfInstanceRecord,
} from '@windlass/lifecycle';
import type { DriverDescription } from '@windlass/mgmt-driver';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import { VnfPackageEntity } from '../entities/vnf-package.entity.js';
import type { Vault } from '../sealing/vault.js';
import { emitEvents, managerOf } from './handle.js';
import { instanceOf, instanceRow, opOccOf, opOccRow } from './instance-rows.js';
import { PgInternalStore } from './pg-internal-store.js';
import { chooseVim, vimAccess } from './vim-access.js';

/** TypeORM's own type for it recurses without end over JSON columns. */
type UpdateOf = Record<string, never>;

/** The lifecycle's records in PostgreSQL. A handle is a TypeORM entity manager: the engine's transaction, or one of its own. */
export class PgLcmStore extends PgInternalStore implements LcmStore {
  constructor(
    private readonly database: DataSource,
    vault: Vault,
  ) {
    super(vault);
  }

  transact<T>(work: (handle: unknown) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  async opOcc(handle: unknown, id: string): Promise<OpOccRecord> {
    const row = await managerOf(handle).findOneBy(VnfLcmOpOccEntity, { id });
    if (row === null) throw new RequestError(404, 'op-occ.unknown', `there is no operation occurrence ${id}`);
    return opOccOf(row, this.vault);
  }

  async saveOpOcc(handle: unknown, opOcc: OpOccRecord): Promise<void> {
    const { id, ...row } = opOccRow(opOcc, this.vault);
    await managerOf(handle).update(VnfLcmOpOccEntity, { id }, row as object as UpdateOf);
  }

  async instance(handle: unknown, id: string): Promise<VnfInstanceRecord> {
    const row = await managerOf(handle).findOneBy(VnfInstanceEntity, { id });
    if (row === null) throw new RequestError(404, 'vnf-instance.unknown', `there is no VNF instance ${id}`);
    return instanceOf(row, this.vault);
  }

  async saveInstance(handle: unknown, instance: VnfInstanceRecord): Promise<void> {
    const { id, version, ...row } = instanceRow(instance, this.vault);
    const { affected } = await managerOf(handle).update(VnfInstanceEntity, { id, version }, {
      ...row,
      version: version + 1,
    } as object as UpdateOf);
    if (affected !== 1)
      throw new InvariantError(`VNF instance ${id} is not at version ${version} any more: somebody else has published it`);
  }

  async package(handle: unknown, id: string): Promise<PackageRecord> {
    const row = await managerOf(handle).findOneBy(VnfPackageEntity, { id });
    if (row?.model == null) throw new RequestError(404, 'vnf-package.unknown', `there is no onboarded VNF package ${id}`);
    return { id, model: row.model, files: row.files ?? [] };
  }

  chooseVim(handle: unknown, tenant: string, request: JsonObject): Promise<VimChoice> {
    return chooseVim(managerOf(handle), tenant, request);
  }

  vimAccess(
    handle: unknown,
    tenant: string,
    choice: VimChoice,
    instance: VnfInstanceRecord,
    request: JsonObject,
  ): Promise<VimAccess> {
    return vimAccess(managerOf(handle), this.vault, tenant, choice, instance, request);
  }

  async driver(handle: unknown, name: string): Promise<DriverDescription | undefined> {
    const [row] = await rowsOf<{ description: DriverDescription }>(
      managerOf(handle),
      'SELECT description FROM lcm.driver WHERE name = $1',
      [name],
    );
    return row?.description;
  }

  async emit(handle: unknown, events: readonly LcmEvent[]): Promise<void> {
    await emitEvents(managerOf(handle), events);
  }
}
