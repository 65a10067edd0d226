import type { Flavour } from '@windlass/vnf-package';
import type { VnfModel } from './vnf-model.js';

/** What has to be known of a flavour to read its VNF out of a stack. */
export function vnfModelOf(flavour: Flavour): VnfModel {
  return {
    vdus: flavour.vdus.map(({ id, storageIds }) => ({ id, storageIds })),
    cps: flavour.cps.map(({ id, vduId, virtualLinkId }) => ({ id, vduId, virtualLinkId })),
    virtualLinks: flavour.virtualLinks.map(({ id }) => ({ id })),
    aspects: flavour.scalingAspects.map((aspect) => ({
      id: aspect.id,
      vdus: aspect.deltas.map(({ vduId, instances }) => ({
        vduId,
        initial: flavour.vdus.find(({ id }) => id === vduId)?.initialInstances ?? 0,
        delta: instances,
      })),
    })),
  };
}
