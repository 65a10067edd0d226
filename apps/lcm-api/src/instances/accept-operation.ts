import { RequestError, type JsonObject } from '@windlass/foundation';
import {
  eventMessage,
  operationChange,
  operationEvent,
  PROCESSING,
  type LcmOperation,
  type OpOccRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { holdInstance, insertAccepted, inTransaction, type PgLcmStore, type Vault } from '@windlass/persistence';
import type { DriverNeed } from '@windlass/mgmt-driver';
import { initialState } from '@windlass/sol003';
import { randomUUID } from 'node:crypto';
import { reserveVimNames, type WantedVimName } from '../vims/reserved-names.js';
import type { DataSource, EntityManager } from 'typeorm';

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
 * Accepts an operation. One transaction writes its occurrence (STARTING, or the state in which its kind begins), the instance's lock, the names that
 * it reserves, and the engine's row, by which coordinators find it where nobody calls them to it.
 * @param speaksAgainst is given the instance under its lock, undefined where it is gone, and throws what forbids the operation
 * @throws RequestError 409 `vnf-instance.busy` when another operation of the instance is not final, `vnf-instance.clean-up` while something of it is
 *   removed, `vim.name-reserved` and `vim.name-taken` where another operation or a VIM has a name that it would register
 */
export async function acceptOperation(
  database: DataSource,
  vault: Vault,
  store: PgLcmStore,
  acceptance: Acceptance,
  speaksAgainst: (instance: VnfInstanceRecord | undefined) => void,
): Promise<string> {
  const id = randomUUID();
  const operationState = initialState(acceptance.operation);
  try {
    const accept = async (manager: EntityManager): Promise<void> => {
      speaksAgainst(await holdInstance(manager, vault, acceptance.tenant, acceptance.vnfInstanceId));
      if (await store.isCleanedUp(manager, acceptance.vnfInstanceId)) throw cleanedUp(acceptance.vnfInstanceId);
      const vimNames = await reserveVimNames(manager, acceptance);
      const opOcc = occurrenceOf(id, { ...acceptance, vimNames });
      await insertAccepted(manager, vault, opOcc, operationState === PROCESSING ? PROCESSING : null);
      await store.notify(manager, operationChange(opOcc));
      await store.emit(manager, [eventMessage(operationEvent(opOcc))]);
    };
    // The instance is locked, and nobody else knows the new rows: everything is written at the end, by one statement.
    await inTransaction(database, accept, { remembers: true });
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) throw inOperation(acceptance.vnfInstanceId);
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
