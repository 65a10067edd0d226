import type { JsonObject } from '@windlass/foundation';
import type { HealedVnfcs } from '@windlass/mgmt-driver';
import { HEAL_BLOCK_STORAGE } from '@windlass/sol003';
import type { InstantiatedState } from '../../records/records.js';

/** The key of a heal (of v2, taken in v1 too) that says what is healed with the VMs. */
export const HEAL_ALL = 'all';

/** What a HealVnfRequest asks for, once its two parameters are put together. */
export interface HealRequestOptions {
  /** vnfcResourceInfo ids; null where none is named: all of them. */
  vnfcIds: string[] | null;
  /** Whether the stack is deleted and recreated, so that every id and address changes. If not, VMs are replaced in their places. */
  recreates: boolean;
  /** The volumes of the VNFCs are replaced with their VMs. */
  includesStorage: boolean;
  cause: string | null;
}

/**
 * Reads an accepted request. Without a named VNFC the whole VNF is healed. As in v1 it is then deleted and recreated, unless `all` is false: v2's way
 * to replace every VM and keep addresses. `tacker_extension_heal_include_block_storage` decides about volumes; where it is absent `all` does, and
 * where that is absent too they are replaced (v1's default).
 */
export function healRequestOptions(request: JsonObject): HealRequestOptions {
  const params = (request.additionalParams ?? {}) as JsonObject;
  const named = Array.isArray(request.vnfcInstanceId) ? (request.vnfcInstanceId as string[]) : null;
  const all = flag(params, HEAL_ALL);
  return {
    vnfcIds: named === null ? null : [...new Set(named)],
    recreates: named === null && all !== false,
    includesStorage: flag(params, HEAL_BLOCK_STORAGE) ?? all ?? true,
    cause: typeof request.cause === 'string' ? request.cause : null,
  };
}

/** The VNFCs that are healed, as they stand before it. */
export function healedVnfcs(
  { vnfcs }: Pick<InstantiatedState, 'vnfcs'>,
  { vnfcIds, recreates, cause }: HealRequestOptions,
): HealedVnfcs {
  const healed = vnfcs.filter(({ id }) => vnfcIds?.includes(id) ?? true);
  return {
    vnfcIds: healed.map(({ id }) => id),
    whole: vnfcIds === null,
    recreates,
    cause,
    earlierResourceIds: Object.fromEntries(healed.map(({ id, resourceId }) => [id, resourceId])),
  };
}

function flag(params: JsonObject, name: string): boolean | undefined {
  const value = params[name];
  return typeof value === 'boolean' ? value : undefined;
}
