import { flavourOf } from '@windlass/vnf-package';
import type { PredictDrafts } from '../../operation/predicted-drafts.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { healRequestOptions } from './heal-request.js';

/** A heal of VNFCs replaces their servers; a heal that recreates the whole VNF replaces the VNFCs, too. */
export const predictHeal: PredictDrafts = (
  { opOcc, instance, package: { model }, flavourId },
  { heal, counts },
  placeholders,
) => {
  const now = instantiatedOf(instance);
  const about = heal === undefined ? {} : { heal };
  const start = { instantiated: now, ...about };
  if (counts === undefined) {
    const { includesStorage } = healRequestOptions(opOcc.request);
    const healed = new Set(heal?.vnfcIds);
    const vnfcs = now.vnfcs.map((vnfc) => (healed.has(vnfc.id) ? placeholders.replaced(vnfc, { includesStorage }) : vnfc));
    return { start, end: { instantiated: { ...now, vnfcs }, ...about } };
  }
  const flavour = flavourOf(model, flavourId);
  const known = now.sharedCps.map(({ name }) => name);
  const anew = { vnfcs: placeholders.vnfcs(flavour, counts), sharedCps: placeholders.sharedCps(flavour, known) };
  return { start, end: { instantiated: { ...now, ...anew }, ...about } };
};
