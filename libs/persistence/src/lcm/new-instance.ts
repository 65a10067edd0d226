import type { VnfInstanceRecord } from '@windlass/lifecycle';
import type { EntityManager, EntityMetadata } from 'typeorm';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import type { VnfPackageEntity } from '../entities/vnf-package.entity.js';
import { runPrepared, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { instanceRow } from './instance-rows.js';

/** What of a package an instance may be made by. What was onboarded of it never changes: `PgLcmStore.package` has it. */
export type PackageInUse = Pick<VnfPackageEntity, 'id' | 'operationalState'>;

const HOLD_PACKAGE: Statement = {
  name: 'windlass package for an instance',
  text: `SELECT id, operational_state AS "operationalState" FROM package.vnf_package
    WHERE tenant = $1 AND vnfd_id = $2 AND onboarding_state = 'ONBOARDED' FOR SHARE`,
};

/**
 * The onboarded package with this VNFD, under a lock that others may share: until the transaction ends it can be neither disabled nor deleted.
 * Undefined where the project has none.
 */
export async function holdPackage(manager: EntityManager, tenant: string, vnfdId: string): Promise<PackageInUse | undefined> {
  const [found] = await runPrepared<PackageInUse>(manager, HOLD_PACKAGE, [tenant, vnfdId]);
  return found;
}

/** Writes a new instance, its secrets sealed: one statement that PostgreSQL has planned already. */
export async function insertInstance(manager: EntityManager, record: VnfInstanceRecord, vault: Vault): Promise<void> {
  const { columns, tablePath } = manager.dataSource.getMetadata(VnfInstanceEntity);
  const row = instanceRow(record, vault);
  await runPrepared(
    manager,
    { name: 'windlass new instance', text: insertInto(tablePath, columns) },
    columns.map(({ type, propertyName }) => {
      const value = row[propertyName as keyof VnfInstanceEntity];
      return type === 'jsonb' && value !== null ? JSON.stringify(value) : value;
    }),
  );
}

function insertInto(table: string, columns: EntityMetadata['columns']): string {
  const names = columns.map(({ databaseName }) => databaseName).join(', ');
  return `INSERT INTO ${table} (${names}) VALUES (${columns.map((_column, n) => `$${n + 1}`).join(', ')})`;
}
