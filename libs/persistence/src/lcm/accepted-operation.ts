import type { OpOccRecord } from '@windlass/lifecycle';
import { JOURNAL_VERSION } from '@windlass/saga';
import type { EntityManager } from 'typeorm';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import type { Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { holdWrite } from '../transaction.js';
import { findPrepared, insertion } from './entity-statements.js';
import { instanceOf, opOccRow } from './instance-rows.js';

const INSERT_OPERATION: Statement = {
  name: 'windlass new operation',
  text: `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, milestone) VALUES ($1, $2, $3, 'accepted', $4, $5)`,
};

/** An instance of a project as it is once nobody else holds its row, which is held until the transaction ends. Undefined where there is none. */
export async function holdInstance(manager: EntityManager, vault: Vault, tenant: string, id: string) {
  const row = await findPrepared(manager, VnfInstanceEntity, 'windlass instance held', { id, tenant }, 'FOR UPDATE');
  return row === null ? undefined : instanceOf(row, vault);
}

/**
 * Writes an operation that is accepted: the engine's row, and the occurrence, which is the instance's lock until it is final.
 * The instance's unique index is broken, with the transaction's end at the latest, where another operation of it is not.
 */
export async function insertAccepted(
  manager: EntityManager,
  vault: Vault,
  opOcc: OpOccRecord,
  milestone: string | null,
): Promise<void> {
  const { id, operation, tenant } = opOcc;
  await holdWrite(manager, INSERT_OPERATION.name, () => ({
    statement: INSERT_OPERATION,
    values: () => [id, operation, tenant, JOURNAL_VERSION, milestone],
  }));
  const name = 'windlass new occurrence';
  await holdWrite(manager, name, () => insertion(manager, VnfLcmOpOccEntity, name, opOccRow(opOcc, vault)));
}
