import type { InstantiatedVnfInfo } from '@windlass/sol003';
import { desiredCounts, flavourOf } from '@windlass/vnf-package';
import { allOf, heldBy, instancesOf, onceOf, type AskedResources, type ResourcesOf } from '../../operation/asked-resources.js';
import { desiredOf } from '../../records/desired-state.js';
import { healRequestOptions, type HealRequestOptions } from './heal-request.js';

/** What a heal replaces: servers, and their volumes where those go too; or all of it, where the whole VNF is made anew. */
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

/** Those of VNFCs that others take the place of. */
export function replacedResources(
  info: InstantiatedVnfInfo,
  { vnfcIds, includesStorage }: Pick<HealRequestOptions, 'vnfcIds' | 'includesStorage'>,
): AskedResources {
  const healed = (info.vnfcResourceInfo ?? []).filter(({ id }) => vnfcIds?.includes(id) ?? true);
  const remove = heldBy(info, healed, { volumes: includesStorage });
  // Each stands in the place of the one that goes: it is of the same node.
  return { remove, add: remove.map(({ resource: _gone, ...definition }) => definition) };
}
