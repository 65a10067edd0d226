import type { JsonObject } from '@windlass/foundation';
import type { PackageRecord } from '@windlass/lifecycle';
import type { ValidateRequest } from '@windlass/mgmt-driver';
import { desiredCounts, flavourOf, mostInstances } from '@windlass/vnf-package';

/** The arguments of a driver's call for the instantiation of a package. @param level the instantiation level; the flavour's default one unless given */
export function instantiationOf(
  { model, files }: PackageRecord,
  { flavourId, additionalParams }: JsonObject,
  level?: string,
): ValidateRequest {
  const flavour = flavourOf(model, String(flavourId));
  const params = additionalParams as JsonObject;
  const { floatingIps, sharedPorts } = flavour.baseHot ?? {};
  return {
    operation: 'INSTANTIATE',
    vnfInstanceId: 'an-instance',
    requestParams: params,
    instantiateParams: params,
    flavour: {
      id: flavour.id,
      vdus: flavour.vdus.map(({ id }) => id),
      cps: flavour.cps.map(({ id, vduId }) => ({ id, vdu: vduId ?? null })),
      aspects: flavour.scalingAspects.map(({ id }) => id),
      storages: flavour.vdus.flatMap(({ id: vdu, storageIds }) => storageIds.map((id) => ({ id, vdu }))),
      mostVnfcs: mostInstances(flavour),
      ...(floatingIps === undefined ? {} : { floatingIps }),
      ...(sharedPorts === undefined ? {} : { sharedPorts }),
    },
    files,
    countsAfter: desiredCounts(flavour, level === undefined ? {} : { instantiationLevelId: level }),
  };
}
