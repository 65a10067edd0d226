import type { InstantiatedVnfInfo } from '@windlass/sol003';
import { desiredCounts, flavourOf } from '@windlass/vnf-package';
import { allOf, heldBy, instancesOf, onceOf, type AskedResources, type ResourcesOf } from '../../operation/asked-resources.js';
import { desiredOf } from '../../records/desired-state.js';
import { healRequestOptions, type HealRequestOptions } from './heal-request.js';

/** The resources that a heal replaces: servers, with their volumes where those go too, or all resources where the whole VNF is recreated. */
export const healedResources: ResourcesOf = ({ opOcc, instance, package: { model }, flavourId }) => {
  if (instance.instantiated === null) return {};
  const { info } = instance.instantiated;
  const { vnfcIds, recreates, includesStorage } = healRequestOptions(opOcc.request);
  if (recreates) {
    const flavour = flavourOf(model, flavourId);
    const { extManagedVirtualLinks = [], ...size } = desiredOf(instance);
    const managed = extManagedVirtualLinks.map(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId);
    return {
      remove: allOf(info),
      add: [...instancesOf(flavour, desiredCounts(flavour, size)), ...onceOf(flavour, managed)],
    };
  }
  return replacedResources(info, { vnfcIds, includesStorage });
};

/** The resources of VNFCs that are replaced. */
export function replacedResources(
  info: InstantiatedVnfInfo,
  { vnfcIds, includesStorage }: Pick<HealRequestOptions, 'vnfcIds' | 'includesStorage'>,
): AskedResources {
  const healed = (info.vnfcResourceInfo ?? []).filter(({ id }) => vnfcIds?.includes(id) ?? true);
  const remove = heldBy(info, healed, { volumes: includesStorage });
  // A replacement is of the same node as the resource that it replaces.
  return { remove, add: remove.map(({ resource: _gone, ...definition }) => definition) };
}
