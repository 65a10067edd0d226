import type { JsonObject } from '@windlass/foundation';
import type { OpOccRecord, VnfInstanceRecord } from '@windlass/lifecycle';
import type { VimConnectionInfo } from '@windlass/sol003';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import type { Vault } from '../sealing/vault.js';

const place = (column: string, id: string): string => `lcm.${column} ${id}`;

/** The row of an instance, its secrets sealed. */
export function instanceRow(record: VnfInstanceRecord, vault: Vault): VnfInstanceEntity {
  const { vimConnectionInfo, instantiateRequest, ...open } = record;
  return Object.assign(new VnfInstanceEntity(), open, {
    vimConnectionInfo: vault.sealJson(vimConnectionInfo, place('vnf_instance.vim_connection_info', record.id)),
    instantiateRequest:
      instantiateRequest === null
        ? null
        : vault.sealJson(instantiateRequest, place('vnf_instance.instantiate_request', record.id)),
  });
}

export function instanceOf(row: VnfInstanceEntity, vault: Vault): VnfInstanceRecord {
  const { vimConnectionInfo, instantiateRequest, ...open } = row;
  return {
    ...open,
    vimConnectionInfo: vault.openJson(
      vimConnectionInfo,
      place('vnf_instance.vim_connection_info', row.id),
    ) as VimConnectionInfo[],
    instantiateRequest:
      instantiateRequest === null
        ? null
        : (vault.openJson(instantiateRequest, place('vnf_instance.instantiate_request', row.id)) as JsonObject),
  };
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
