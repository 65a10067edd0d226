import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { registryParams } from './parameters.js';
import { isRegistry } from './registry-vms.js';

/**
 * Refuses to scale the registry: it is one VM with its images, and a second VM would be a second registry without them. Other VDUs of the VNF may
 * scale.
 */
export const checkScale = (request: ValidateRequest): ValidateReply => ({
  invalidParams: reasonsOf(request, '/aspectId'),
  warnings: [],
  normalised: {},
});

export const checkScaleToLevel = (request: ValidateRequest): ValidateReply => ({
  invalidParams: reasonsOf(request, request.request?.instantiationLevelId === undefined ? '/scaleInfo' : '/instantiationLevelId'),
  warnings: [],
  normalised: {},
});

/** @param path the member of the request that decides how many VMs there will be */
function reasonsOf(
  { instance, instantiateParams, countsAfter = {} }: ValidateRequest,
  path: string,
): ValidateReply['invalidParams'] {
  const registries = (instance?.vnfcs ?? []).filter(isRegistry(registryParams(instantiateParams)));
  const [registry] = registries;
  const wanted = registry === undefined ? undefined : countsAfter[registry.vduId];
  if (registry === undefined || wanted === undefined || wanted === registries.length) return [];
  const reason = `would make ${wanted} VMs of ${registries.length} of the registry (VDU ${registry.vduId}), which does not scale: its images lie on its own VM or volume. Instantiate another VNF for another registry`;
  return [{ path, reason }];
}
