import type { ExtManagedVirtualLinkData, ExtVirtualLinkData } from '../requests/connectivity.js';
import type { KeyValuePairs, Link, ResourceHandle, VimConnectionInfo } from '../types/common.js';
import type { LcmOperationType } from '../operations/operations.js';

/** What the VNFM asks the NFVO before an operation (SOL003 9.5.2.2 of the granting interface). */
export interface GrantRequest {
  vnfInstanceId: string;
  vnfLcmOpOccId: string;
  vnfdId: string;
  dstVnfdId?: string;
  flavourId?: string;
  operation: LcmOperationType;
  isAutomaticInvocation: boolean;
  instantiationLevelId?: string;
  addResources?: ResourceDefinition[];
  tempResources?: ResourceDefinition[];
  removeResources?: ResourceDefinition[];
  updateResources?: ResourceDefinition[];
  placementConstraints?: PlacementConstraint[];
  vimConstraints?: VimConstraint[];
  additionalParams?: KeyValuePairs;
  _links: { vnfLcmOpOcc: Link; vnfInstance: Link };
}

/** A resource that is to be added, removed or changed. */
export interface ResourceDefinition {
  id: string;
  type: 'COMPUTE' | 'VL' | 'STORAGE' | 'LINKPORT' | 'SPECIFICRESOURCE';
  vduId?: string;
  /** The node in the VNFD. */
  resourceTemplateId?: string;
  resource?: ResourceHandle;
}

/** Which resources have to be together or apart. */
export interface PlacementConstraint {
  affinityOrAntiAffinity: 'AFFINITY' | 'ANTI_AFFINITY';
  scope: 'NFVI_POP' | 'ZONE' | 'ZONE_GROUP' | 'NFVI_NODE';
  resource: ConstraintResourceRef[];
}

/** A resource that a constraint is about: one that exists, or one that this request asks for. */
export interface ConstraintResourceRef {
  idType: 'RES_MGMT' | 'GRANT';
  resourceId: string;
  vimConnectionId?: string;
  resourceProviderId?: string;
}

/** Which resources have to be in one VIM. */
export interface VimConstraint {
  sameResourceGroup?: boolean;
  resource: ConstraintResourceRef[];
}

/** The NFVO's answer. A refusal is a 403 instead. */
export interface Grant {
  id: string;
  vnfInstanceId: string;
  vnfLcmOpOccId: string;
  vimConnections?: VimConnectionInfo[];
  zones?: ZoneInfo[];
  zoneGroups?: { zoneId: string[] }[];
  computeReservationId?: string;
  networkReservationId?: string;
  storageReservationId?: string;
  addResources?: GrantInfo[];
  tempResources?: GrantInfo[];
  removeResources?: GrantInfo[];
  updateResources?: GrantInfo[];
  vimAssets?: {
    computeResourceFlavours?: VimComputeResourceFlavour[];
    softwareImages?: VimSoftwareImage[];
  };
  extVirtualLinks?: ExtVirtualLinkData[];
  extManagedVirtualLinks?: ExtManagedVirtualLinkData[];
  additionalParams?: KeyValuePairs;
  _links: { self: Link; vnfLcmOpOcc: Link; vnfInstance: Link };
}

/** The answer for one ResourceDefinition. */
export interface GrantInfo {
  resourceDefinitionId: string;
  reservationId?: string;
  vimConnectionId?: string;
  resourceProviderId?: string;
  /** A ZoneInfo's `id`, not the VIM's own zone. */
  zoneId?: string;
  resourceGroupId?: string;
}

/** A resource zone: `zoneId` is the VIM's availability zone. */
export interface ZoneInfo {
  id: string;
  zoneId: string;
  vimConnectionId?: string;
  resourceProviderId?: string;
}

/** The VIM's flavour that stands for a VDU's compute descriptor. */
export interface VimComputeResourceFlavour {
  vimConnectionId?: string;
  resourceProviderId?: string;
  /** VDU in the VNFD. */
  vnfdVirtualComputeDescId: string;
  vimFlavourId: string;
}

/** The VIM's image that stands for one of the package. */
export interface VimSoftwareImage {
  vimConnectionId?: string;
  resourceProviderId?: string;
  vnfdSoftwareImageId: string;
  vimSoftwareImageId: string;
}
