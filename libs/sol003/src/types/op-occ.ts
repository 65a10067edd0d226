import type { JsonObject, ProblemDetails } from '@windlass/foundation';
import type { KeyValuePairs, Link, ResourceHandle } from './common.js';
import type { LcmOperationTypeV2 } from '../operations/operations.js';
import type { CancelModeType, LcmOperationStateType, LinkChangeType, ResourceChangeType } from './enumerations.js';
import type { ExtVirtualLinkInfo } from './instantiated-vnf-info.js';
import type { VnfInstance } from './vnf-instance.js';

/** An operation occurrence (SOL003 5.5.2.13). Times are RFC 3339. */
export interface VnfLcmOpOcc {
  id: string;
  operationState: LcmOperationStateType;
  stateEnteredTime: string;
  startTime: string;
  vnfInstanceId: string;
  grantId?: string;
  operation: LcmOperationTypeV2;
  isAutomaticInvocation: boolean;
  /** The request's body. An object in every answer: see docs of rendering. Holds secrets. */
  operationParams?: JsonObject;
  isCancelPending: boolean;
  /** Present exactly while `isCancelPending`. */
  cancelMode?: CancelModeType;
  /** Present in FAILED_TEMP, FAILED, and where a grant was refused in ROLLED_BACK. */
  error?: ProblemDetails;
  resourceChanges?: ResourceChanges;
  changedInfo?: VnfInfoModifications;
  changedExtConnectivity?: ExtVirtualLinkInfo[];
  _links?: VnfLcmOpOccLinks;
}

/** What can be done with an operation occurrence in its state (SOL003 5.5.2.13, `_links`). */
export interface VnfLcmOpOccLinks {
  self: Link;
  vnfInstance: Link;
  grant?: Link;
  cancel?: Link;
  retry?: Link;
  rollback?: Link;
  fail?: Link;
}

/** What an operation did to the resources (SOL003 5.5.2.13, `resourceChanges`). */
export interface ResourceChanges {
  affectedVnfcs?: AffectedVnfc[];
  affectedVirtualLinks?: AffectedVirtualLink[];
  affectedVirtualStorages?: AffectedVirtualStorage[];
}

/** SOL003 5.5.3.13. */
export interface AffectedVnfc {
  /** Id of the VnfcResourceInfo. */
  id: string;
  vduId: string;
  changeType: ResourceChangeType;
  /** As it is now; of a removed one as it was. */
  computeResource: ResourceHandle;
  metadata?: KeyValuePairs;
  affectedVnfcCpIds?: string[];
  addedStorageResourceIds?: string[];
  removedStorageResourceIds?: string[];
}

/** SOL003 5.5.3.14. */
export interface AffectedVirtualLink {
  id: string;
  vnfVirtualLinkDescId: string;
  changeType: LinkChangeType;
  networkResource: ResourceHandle;
  metadata?: KeyValuePairs;
}

/** SOL003 5.5.3.15. */
export interface AffectedVirtualStorage {
  id: string;
  virtualStorageDescId: string;
  changeType: ResourceChangeType;
  storageResource: ResourceHandle;
  metadata?: KeyValuePairs;
}

/** Attributes of an instance that no MODIFY_INFO changes. */
type Unmodifiable = 'id' | 'instantiationState' | 'instantiatedVnfInfo' | '_links';

/** What a MODIFY_INFO changed: the new values (SOL003 5.5.2.12a). */
export interface VnfInfoModifications extends Partial<Omit<VnfInstance, Unmodifiable>> {
  /** Of SOL003 3.3.1. */
  vnfcInfoModifications?: { id: string; vnfcConfigurableProperties: KeyValuePairs }[];
}
