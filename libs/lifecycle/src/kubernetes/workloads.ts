import { REPLICATED, type Flavour } from '@windlass/vnf-package';
import type { ObjectRef } from '../records/cluster-objects.js';
import { vduOfObject } from './vdus-and-manifests.js';

/** The objects of a VNF that have as many pods as a VDU has VNFCs. */
export const workloadsOf = ({ vdus }: Pick<Flavour, 'vdus'>, objects: readonly ObjectRef[], vduId: string): ObjectRef[] =>
  objects.filter((object) => REPLICATED.has(object.kind) && vduOfObject(vdus, object) === vduId);
