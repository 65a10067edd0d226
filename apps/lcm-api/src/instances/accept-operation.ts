import { RequestError, type JsonObject } from '@windlass/foundation';
import {
  beginMessage,
  eventMessage,
  operationChange,
  operationEvent,
  PROCESSING,
  type LcmOperation,
  type OpOccRecord,
} from '@windlass/lifecycle';
import {
  inTransaction as withTransaction,
  opOccRow,
  PgLcmStore,
  rowsOf,
  VnfLcmOpOccEntity,
  type Vault,
} from '@windlass/persistence';
import type { DriverNeed } from '@windlass/mgmt-driver';
import { JOURNAL_VERSION } from '@windlass/saga';
import { initialState } from '@windlass/sol003';
import { randomUUID } from 'node:crypto';
import { reserveVimNames, type WantedVimName } from '../vims/reserved-names.js';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';

export interface Acceptance {
  tenant: string;
  vnfInstanceId: string;
  operation: LcmOperation;
  /** As normalised. */
  request: JsonObject;
  warnings: string[];
  drivers: string[];
  needs: DriverNeed[];
  /** Names under which it will register a VIM, each with the path at which the request says it. */
  vimNames: WantedVimName[];
  /** VDUs of the VNFCs that the request names, by their ids. */
  vnfcVdus: Record<string, string>;
}

/** PostgreSQL's code for a unique index that would be broken. */
const UNIQUE_VIOLATION = '23505';

/**
 * Accepts an operation: in one transaction its occurrence (STARTING, or where its kind begins), the instance's lock, the names that it reserves, the
 * engine's row, and the wake-up in the outbox.
 * @param inTransaction looks at the instance under its lock and throws what speaks against it
 * @throws RequestError 409 `vnf-instance.busy` when another operation of the instance is not final, `vnf-instance.clean-up` while something of it is removed, `vim.name-reserved` and
 * `vim.name-taken` where another operation or a VIM has a name that it would register
 */
export async function acceptOperation(
  database: DataSource,
  vault: Vault,
  store: PgLcmStore,
  acceptance: Acceptance,
  inTransaction: (manager: EntityManager) => Promise<void>,
): Promise<string> {
  const id = randomUUID();
  const operationState = initialState(acceptance.operation);
  try {
    await withTransaction(database, async (manager) => {
      await rowsOf(manager, 'SELECT id FROM lcm.vnf_instance WHERE id = $1 FOR UPDATE', [acceptance.vnfInstanceId]);
      await inTransaction(manager);
      if (await store.isCleanedUp(manager, acceptance.vnfInstanceId)) throw cleanedUp(acceptance.vnfInstanceId);
      await manager.query(
        `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, milestone) VALUES ($1, $2, $3, 'accepted', $4, $5)`,
        [id, acceptance.operation, acceptance.tenant, JOURNAL_VERSION, operationState === PROCESSING ? PROCESSING : null],
      );
      const vimNames = await reserveVimNames(manager, acceptance);
      const opOcc = occurrenceOf(id, { ...acceptance, vimNames });
      await manager.insert(VnfLcmOpOccEntity, opOccRow(opOcc, vault) as never);
      await store.notify(manager, operationChange(opOcc));
      await store.emit(manager, [eventMessage(operationEvent(opOcc)), beginMessage(id)]);
    });
  } catch (error) {
    if (error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNIQUE_VIOLATION) {
      throw inOperation(acceptance.vnfInstanceId);
    }
    throw error;
  }
  return id;
}

/** The answer while something of the instance is removed. */
export const cleanedUp = (vnfInstanceId: string): RequestError =>
  new RequestError(
    409,
    'vnf-instance.clean-up',
    `something of VNF instance ${vnfInstanceId} is being removed from its VIM: try again in a while`,
  );

/** The answer while another operation of the instance is not final. */
export const inOperation = (vnfInstanceId: string): RequestError =>
  new RequestError(
    409,
    'vnf-instance.busy',
    `another operation of VNF instance ${vnfInstanceId} is not final yet: wait for it, or retry, roll back or fail it`,
  );

/** An occurrence as it is when it is accepted. */
export function occurrenceOf(id: string, acceptance: Acceptance): OpOccRecord {
  const { tenant, vnfInstanceId, operation, request, warnings, drivers, needs, vimNames, vnfcVdus } = acceptance;
  const now = new Date();
  return {
    id,
    tenant,
    vnfInstanceId,
    operation,
    operationState: initialState(operation),
    stateEnteredTime: now,
    startTime: now,
    isAutomaticInvocation: false,
    request,
    isCancelPending: false,
    cancelMode: null,
    error: null,
    resourceChanges: null,
    grantId: null,
    warnings,
    draft: {
      drivers,
      ...(needs.length === 0 ? {} : { needs }),
      ...(vimNames.length === 0 ? {} : { vimNames: vimNames.map(({ name }) => name) }),
      ...(Object.keys(vnfcVdus).length === 0 ? {} : { vnfcVdus }),
    },
  };
}
