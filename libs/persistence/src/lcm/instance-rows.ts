import type { JsonObject } from '@windlass/foundation';
import {
  desiredOnce,
  type DesiredState,
  type OpOccRecord,
  type VnfInstanceRecord,
  type VnfProperties,
} from '@windlass/lifecycle';
import type { VimConnectionInfo } from '@windlass/sol003';
import { IsNull, MoreThan, Not, type DataSource } from 'typeorm';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import type { Vault } from '../sealing/vault.js';

const place = (column: string, id: string): string => `lcm.${column} ${id}`;

const propertiesPlace = (id: string): string => place('vnf_instance.properties', id);

const desiredPlace = (id: string): string => place('vnf_instance.desired', id);

/** The row of an instance, its secrets sealed. */
export function instanceRow(record: VnfInstanceRecord, vault: Vault): VnfInstanceEntity {
  const { vimConnectionInfo, desired, properties, ...open } = record;
  return Object.assign(new VnfInstanceEntity(), open, {
    vimConnectionInfo: vault.sealJson(vimConnectionInfo, place('vnf_instance.vim_connection_info', record.id)),
    desired: desired === null ? null : vault.sealJson(desired, desiredPlace(record.id)),
    properties: properties === null ? null : vault.sealJson(properties, propertiesPlace(record.id)),
    instantiateRequest: null,
  });
}

export function instanceOf(row: VnfInstanceEntity, vault: Vault): VnfInstanceRecord {
  const { vimConnectionInfo, desired: _desired, instantiateRequest: _request, properties, ...open } = row;
  return {
    ...open,
    vimConnectionInfo: vault.openJson(
      vimConnectionInfo,
      place('vnf_instance.vim_connection_info', row.id),
    ) as VimConnectionInfo[],
    desired: desiredIn(row, vault),
    properties: properties === null ? null : (vault.openJson(properties, propertiesPlace(row.id)) as VnfProperties),
  };
}

/** A request was written by a release before migration 11, so it is the later word where both are there; such a release also terminates without a word. */
function desiredIn({ id, instantiated, desired, instantiateRequest }: VnfInstanceEntity, vault: Vault): DesiredState | null {
  if (instantiated === null) return null;
  if (instantiateRequest !== null) return desiredOnce(openRequest(instantiateRequest, id, vault), instantiated.info);
  return desired === null ? null : (vault.openJson(desired, desiredPlace(id)) as DesiredState);
}

const openRequest = (sealed: Buffer, id: string, vault: Vault): JsonObject =>
  vault.openJson(sealed, place('vnf_instance.instantiate_request', id)) as JsonObject;

/** So many are in memory. */
const CONVERTED_AT_ONCE = 100;

/**
 * Makes desired states of the requests that releases before migration 11 kept, sealed as these were. It may run in several replicas at once,
 * beside operations. @returns how many instances had one
 */
export async function convertOldRequests(database: DataSource, vault: Vault): Promise<number> {
  let converted = 0;
  for (let after: string | undefined; ;) {
    const id = after === undefined ? {} : { id: MoreThan(after) };
    const where = { instantiateRequest: Not(IsNull()), ...id };
    const found = await database.manager.find(VnfInstanceEntity, { where, order: { id: 'ASC' }, take: CONVERTED_AT_ONCE });
    for (const row of found) await convert(database, vault, row);
    converted += found.length;
    after = found.at(-1)?.id;
    if (found.length < CONVERTED_AT_ONCE) return converted;
  }
}

async function convert(database: DataSource, vault: Vault, row: VnfInstanceEntity): Promise<void> {
  const { desired } = instanceRow(instanceOf(row, vault), vault);
  await database.manager.query(
    'UPDATE lcm.vnf_instance SET desired = $3, instantiate_request = NULL WHERE id = $1 AND instantiate_request = $2 AND version = $4',
    [row.id, row.instantiateRequest, desired, row.version],
  );
}

/** The row of an operation occurrence, its request sealed. */
export function opOccRow(record: OpOccRecord, vault: Vault): VnfLcmOpOccEntity {
  const { request, ...open } = record;
  return Object.assign(new VnfLcmOpOccEntity(), open, {
    request: vault.sealJson(request, place('vnf_lcm_op_occ.request', record.id)),
  });
}

export function opOccOf(row: VnfLcmOpOccEntity, vault: Vault): OpOccRecord {
  const { request, ...open } = row;
  return { ...open, request: vault.openJson(request, place('vnf_lcm_op_occ.request', row.id)) as JsonObject };
}
