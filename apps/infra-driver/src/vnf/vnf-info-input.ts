import type { StackParts } from '@windlass/openstack';
import type { ExtManagedVirtualLinkData, ExtVirtualLinkData } from '@windlass/sol003';
import type { VnfModel } from './vnf-model.js';

/** What instantiatedVnfInfo is made from. */
export interface VnfInfoInput {
  vnfInstanceId: string;
  flavourId: string;
  /** Goes into every resource handle. */
  vimConnectionId?: string | undefined;
  model: VnfModel;
  inventory: StackParts;
  /** Of the request that connected the VNF last. */
  extVirtualLinks?: readonly ExtVirtualLinkData[] | undefined;
  extManagedVirtualLinks?: readonly ExtManagedVirtualLinkData[] | undefined;
  /** Levels by aspect, as they are known; they count where the stack has the VNFCs for them. */
  scaleLevels?: Readonly<Record<string, number>> | undefined;
  /** `STARTED` by default. */
  vnfState?: 'STARTED' | 'STOPPED' | undefined;
}
