import type { JsonObject } from '@windlass/foundation';
import type {
  AffectedVnfc,
  ConnectivityChange,
  DriverNeed,
  HealedVnfcs,
  NodePortService,
  SharedCp,
  Vnfc,
} from '@windlass/mgmt-driver';
import type {
  ExtVirtualLinkInfo,
  InstantiatedVnfInfo,
  LcmOperationStateType,
  OfferedOperation,
  ProblemDetails,
  ResourceChanges,
  ScaleInfo,
  VimConnectionInfo,
  VnfInfoModifications,
  VnfInstance,
} from '@windlass/sol003';
import type { ObjectRef } from './cluster-objects.js';
import type { GrantedAssets } from './granted-assets.js';
import type { DesiredState } from './desired-state.js';

/** Attributes of the standard as they are kept: null where they are absent. */
type Kept<T> = { [K in keyof T]-?: object extends Pick<T, K> ? NonNullable<T[K]> | null : T[K] };

/** Attributes of an instance that are kept in another form than they are shown in, or are computed. */
type KeptOtherwise =
  '_links' | 'vnfPkgId' | 'vimConnectionInfo' | 'extensions' | 'vnfConfigurableProperties' | 'instantiatedVnfInfo';

/** A VNF instance as it is kept: its attributes of the standard, and what Windlass has beside them. */
export interface VnfInstanceRecord extends Kept<Omit<VnfInstance, KeptOtherwise>> {
  tenant: string;
  vnfPkgId: string;
  /** Properties that a modification has given it. Sealed at rest: may hold secrets. */
  properties: VnfProperties | null;
  /** Sealed at rest: holds secrets. */
  vimConnectionInfo: VimConnectionInfo[];
  /** What it consists of; null while NOT_INSTANTIATED. */
  instantiated: InstantiatedState | null;
  /** What it should be; null while NOT_INSTANTIATED. Sealed at rest: holds secrets. */
  desired: DesiredState | null;
  /** What a failed operation left behind in the VIM, until a clean-up has removed it. */
  leftovers: Leftovers | null;
  /** Raised at every publication; compared and set. */
  version: number;
}

/** What of an instance decides which tasks it has. */
export interface TaskConditions {
  instantiationState: VnfInstanceRecord['instantiationState'];
  /** How its aspects are scaled; empty where nothing scales, and while NOT_INSTANTIATED. */
  scaleStatus: readonly ScaleInfo[];
}

export const taskConditionsOf = ({
  instantiationState,
  instantiated,
}: Pick<VnfInstanceRecord, 'instantiationState' | 'instantiated'>): TaskConditions => ({
  instantiationState,
  scaleStatus: instantiated?.info.scaleStatus ?? [],
});

/** What a list shows of an instance by default, and what that is told by. */
export type ListedInstance = TaskConditions &
  Omit<VnfInstanceRecord, 'metadata' | 'properties' | 'vimConnectionInfo' | 'instantiated' | 'desired' | 'leftovers'>;

/** Properties of a VNF that are its customer's own; absent where there are none. */
export interface VnfProperties {
  extensions?: JsonObject;
  vnfConfigurableProperties?: JsonObject;
  /** `vnfcConfigurableProperties` by the id of the VnfcResourceInfo. */
  vnfcs?: Record<string, JsonObject>;
}

export interface InstantiatedState {
  info: InstantiatedVnfInfo;
  stack: StackIdentity;
  vnfcs: Vnfc[];
  sharedCps: SharedCp[];
  vim: VimChoice;
  /** Glance ids of images that this instance uploaded for itself: its termination deletes them. No shared one ever stands here (ADR 90). */
  images: string[];
  /** What it consists of on a Kubernetes cluster, in the order in which it was applied; its `stack` is a name alone then. */
  objects?: ObjectRef[];
  /** Its Services of the type NodePort there, as they were read last. */
  nodePorts?: NodePortService[];
  /** {@link OpDraft.drivers} of the operations that made it what it is. */
  drivers?: string[];
  /** Of the cluster that it is, as they were last looked at; absent where nobody has looked, or there were none. */
  certificates?: InstanceCertificates;
}

/** A certificate of a cluster's control plane. */
export interface ClusterCertificate {
  /** Address of the master that has it. */
  master: string;
  name: string;
  /** Seconds since 1970. */
  endsAt: number;
}

/** When the certificates of an instance's control plane end. */
export interface InstanceCertificates {
  /** ISO 8601. */
  lookedAt: string;
  /** Of the one that ends first, in seconds since 1970: migration 35 has an index on it. */
  earliestEnd: number;
  certificates: ClusterCertificate[];
}

export interface StackIdentity {
  name: string;
  /** Absent until Heat has told. */
  id?: string;
}

/** Which VIM an operation works on: a registered one, or one that the request describes in full. */
export interface VimChoice {
  /** The registry's id; absent for one that only the request describes. */
  vimId?: string;
  /** `vimConnectionInfo[].id` that resource handles name. */
  connectionId: string;
  /** Absent: an OpenStack. A cluster is always a registered one. */
  kind?: 'kubernetes';
}

export interface Leftovers {
  stack: StackIdentity;
  vim: VimChoice;
  images: string[];
  /** Those of a Kubernetes cluster, in the order in which they were to be applied; they may be there or not. */
  objects?: ObjectRef[];
  /** Ids in the registry of VIMs that the operation registered. Absent in records of older releases. */
  vims?: string[];
  /** The instance refers to shared images for as long as these are there. */
  sharesImages?: true;
}

/** An operation that Windlass has. */
export type LcmOperation = OfferedOperation;
export type OperationState = LcmOperationStateType;

/** Operations in these states hold their instance's lock no more (SOL003 5.6.2.2). */
export const FINAL_STATES: readonly OperationState[] = ['COMPLETED', 'FAILED', 'ROLLED_BACK'];

/** An operation occurrence as it is kept, beside the engine's row of the same id. */
export interface OpOccRecord {
  id: string;
  tenant: string;
  vnfInstanceId: string;
  operation: LcmOperation;
  operationState: OperationState;
  stateEnteredTime: Date;
  startTime: Date;
  isAutomaticInvocation: boolean;
  /** The request's body, as normalised. Sealed at rest: holds secrets. */
  request: JsonObject;
  isCancelPending: boolean;
  cancelMode: 'GRACEFUL' | 'FORCEFUL' | null;
  error: ProblemDetails | null;
  resourceChanges: ResourceChanges | null;
  grantId: string | null;
  /** What a person should know although it is no error: normalised values, built-in actions in a script's place. */
  warnings: string[];
  /** What the operation works on; published at its end. */
  draft: OpDraft;
}

/** What a list shows of an occurrence by default. */
export type ListedOpOcc = Omit<OpOccRecord, 'request' | 'error' | 'resourceChanges' | 'warnings' | 'draft'> & {
  /** Where the grant is found that the NFVO gave. */
  grantUrl: string | null;
};

export interface OpDraft {
  /** The drivers that hooks of the flavour are bound to: where they say that secrets lie in its parameters, none is shown. Absent in records of older releases. */
  drivers?: string[];
  /** What the drivers of its hooks can't do without, as they said when it was asked for. */
  needs?: DriverNeed[];
  /** Names under which it may register a VIM: reserved in its project for as long as it is not final. */
  vimNames?: string[];
  vim?: VimChoice;
  /** Where the leftovers lie that the operation begins by removing: a retry looks again when they are off the record already. */
  leftoversVim?: VimChoice;
  instantiated?: InstantiatedState;
  /** VNFCs that the operation takes away or has brought; told to hooks. */
  affectedVnfcs?: AffectedVnfc[];
  /** Names of the request's `additionalParams` that retries have given anew. */
  retryParams?: string[];
  /** What a modification changed; secrets masked. */
  changedInfo?: VnfInfoModifications;
  /** External links that are new or different (SOL003 5.5.2.13). */
  changedExtConnectivity?: ExtVirtualLinkInfo[];
  /** When the time of a graceful termination or stop is over, ISO 8601. */
  graceUntil?: string;
  /** VDUs of the VNFCs that the request names, by the ids of their VnfcResourceInfo: v2 names VNFCs by both. */
  vnfcVdus?: Record<string, string>;
  /** What the NFVO granted for the VNFD's nodes. */
  granted?: GrantedAssets;
  /** Where the NFVO shows its grant. */
  grantUrl?: string;
  /** What a heal is about, for hooks; written when the stack has been read. */
  heal?: HealedVnfcs;
  /** What a change of the external connectivity is about, for hooks; written when the stack has been read. */
  connectivity?: ConnectivityChange;
}

/** The output of a step may carry this member, if the step has the trait `contributes`: it is published with the instance. */
export interface Contribution {
  vimConnectionInfo?: { add?: VimConnectionInfo[]; removeVimIds?: string[] };
  /** All that were seen: they take the place of those that are kept. */
  certificates?: ClusterCertificate[];
}
