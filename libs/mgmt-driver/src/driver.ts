import type { InvalidParam, JsonObject } from '@windlass/foundation';
import type { InputSchema, Plan } from '@windlass/saga';
import { OFFERED_OPERATIONS, type OfferedOperation } from '@windlass/sol003/operations';
import type {
  AffectedVnfc,
  ConnectivityChange,
  HealedVnfcs,
  HookContext,
  NodePortService,
  PackageFile,
  SharedCp,
  Vnfc,
} from './hook-context.js';
import type { Hook } from './hooks.js';

/** What a driver says of itself when it starts (`windlass.mgmt.announce`); kept, so that checking and masking work while it is down. */
export interface DriverDescription {
  /** The version of the contract that it speaks. */
  contract: 2;
  /** The implementation's name in VNFDs: `mgmt-drivers-kubernetes`. */
  driver: string;
  /** Semantic version of the driver; stands in the journal beside each plan. */
  version: string;
  /** The service whose workers run its actions. */
  service: string;
  hooks: Hook[];
  actions: { name: string; version: number }[];
  /** Actions of its service that the plans of other drivers may use, each with what it takes. Absent: none. */
  offers?: { name: string; version: number; input: InputSchema }[];
  /** JSON Schema of what it reads in `additionalParams`; secrets are `writeOnly: true`, and are masked by that wherever they are shown. */
  parameters: JsonObject;
  /**
   * The same of the `additionalParams` of operations on an instance that is there. Those without one are taken as they are; what any schema of
   * the driver marks as secret is masked in all of them.
   */
  operationParameters?: Partial<Record<OperationOnInstance, JsonObject>>;
}

/** Operations that drivers are asked about, as SOL003 spells them. */
export type CheckedOperation = OfferedOperation;
/** All of them. */
export const CHECKED_OPERATIONS: readonly CheckedOperation[] = OFFERED_OPERATIONS;

/** Those of them that an instance must be there for. */
export type OperationOnInstance = Exclude<CheckedOperation, 'INSTANTIATE'>;

/** Asked by lcm-api before its 202 (`windlass.mgmt.<driver>.validate`). Secrets are masked by the description's schema, as `***`. */
export interface ValidateRequest {
  operation: CheckedOperation;
  vnfInstanceId: string;
  /** `additionalParams` of the request. */
  requestParams: JsonObject;
  /** Those of the instantiation; the same as `requestParams` when instantiating. */
  instantiateParams: JsonObject;
  /** The chosen flavour, so that names and sizes in the parameters can be checked. */
  flavour: RequestedFlavour;
  /** Every file of the package. */
  files: PackageFile[];
  /**
   * The hooks of the operation that the VNFD binds to the driver: none where it is asked because others are bound to it. Absent where a core of an
   * older release asks.
   */
  hooks?: Hook[];
  /** The rest of the request (no `additionalParams`, no `vimConnectionInfo`), secrets masked. Absent where a core of an older release asks. */
  request?: JsonObject;
  /** Of an instantiation on a cluster: the Services of the type NodePort that the manifests have. Absent otherwise, and where a core of an older release asks. */
  nodePorts?: NodePortService[];
  /** The instance as the record has it: nobody has looked at its VIM yet. Absent while it is not instantiated. */
  instance?: RequestedInstance;
  /** How many VNFCs each VDU will have once the operation is done, as far as VNFD, request and record tell; none of them after a termination. */
  countsAfter?: Record<string, number>;
}

/** What a request is about, as {@link HookContext} has it. */
export interface RequestedInstance {
  /** In the order of the VDUs, the oldest first. */
  vnfcs: Vnfc[];
  sharedCps: SharedCp[];
  /**
   * What is known already of whom the operation touches: REMOVED those that a scaling names to leave (who leaves besides is chosen when the stack
   * has been looked at, and is told at `scale_start`), MODIFIED those that are started or stopped, or connected otherwise.
   */
  affectedVnfcs: AffectedVnfc[];
  /** As {@link HookContext.clusterUrl}. */
  clusterUrl?: string;
  /** Of a heal: what is healed. */
  heal?: HealedVnfcs;
  /** Of a heal: the snapshot of which the cluster that the instance is now can be made again. Absent where there is none, or a core of an older release asks. */
  snapshot?: RestorableSnapshot;
  /** Of a heal: all of which it can be made again, the newest first. Absent where a core of an older release asks. */
  snapshots?: NamedSnapshot[];
  /** Of a change of the external connectivity: what is connected otherwise. */
  connectivity?: ConnectivityChange;
}

/** A snapshot of the control plane of the cluster as it is registered as a VIM: one of an earlier life of the instance has another CA. */
export interface RestorableSnapshot {
  /** ISO 8601. */
  takenAt: string;
  /** Address of the master that it is of. */
  master: string;
  /** SHA-256 of the CA's certificate, hex. */
  ca: string;
}

/** As requests name it, by one of both. */
export interface NamedSnapshot extends RestorableSnapshot {
  id: string;
  /** Of the archive, hex. */
  sha256: string;
}

/** What a driver is told of a flavour: ids of its VDUs, connection points and scaling aspects. */
export interface RequestedFlavour {
  id: string;
  vdus: string[];
  cps: { id: string; vdu: string | null }[];
  aspects: string[];
  /** The most VNFCs that a VDU can have, at any level, by VDU. */
  mostVnfcs: Record<string, number>;
  /** Storages that the VNFD gives a VDU (`virtual_storage`), by their names. Absent where a core of an older release asks. */
  storages?: { id: string; vdu: string }[];
  /** VDUs whose servers the package's templates keep on compute hosts apart, by a server group. Absent where a core of an older release asks. */
  apart?: string[];
  /** CPs whose ports the package's templates give a floating IP; the same. */
  floating?: string[];
  /** Floating IPs of the package's templates, by the names of their resources, each with its port: null where a template computes that. The same. */
  floatingIps?: { id: string; cp: string | null }[];
  /** Ports of the package's top template that no server has, such as a virtual address's. The same. */
  sharedPorts?: string[];
  /** Images that the VNFD names for the servers of VDUs, by their names; a request or a grant may give others. The same. */
  images?: { vdu: string; name: string }[];
}

/**
 * What a driver can need of the VIM that not every VIM shows: `compute-host`, the name of the host that each server runs on, as {@link Vnfc.host}.
 * Whether it can be seen is looked at before anything is made.
 */
export type DriverNeed = 'compute-host';

/**
 * What a driver can want looked at before the 202, which it can't look at by itself: `bound-volumes`, whether PersistentVolumes that the instance
 * registered in its own cluster (with {@link VOLUME_LABEL}) are in use there. Any: 409 with their names. A cluster that does not answer is said as
 * a warning, and does not keep the operation from beginning: the driver's hook looks again.
 */
export type DriverLook = 'bound-volumes';

/** Addresses that the VNF keeps for itself, such as those of a cluster's pods: its own routes would cut it off from machines that have them. */
export interface KeptRange {
  /** Pointer of the field that chose it; absent where the request has none: the path of the network that is in its way is told then. */
  path?: string;
  /** What it is called: `pod_cidr`. */
  name: string;
  /** IPv4 or IPv6. */
  cidr: string;
}

/** The answer to a {@link ValidateRequest}: what is wrong, what is refused, and the parameters as the driver takes them. */
export interface ValidateReply {
  /** Paths are JSON pointers from the request's root: `/additionalParams/k8s_cluster_installation_param/script_path`. Any: 400. */
  invalidParams: InvalidParam[];
  /** A reason not to do it although the request is well-formed, such as a VIM in use: 409. */
  refusal?: { code: string; detail: string };
  /** Said in the operation, not in the way of it: `pod_cidr 192.168.3.0/16 was taken as 192.168.0.0/16`. */
  warnings: string[];
  /**
   * Names under which the operation is going to register VIMs, each with the pointer of the field that chose it. Windlass refuses a name that
   * another VIM of the project has: a driver is not told of the project's VIMs.
   */
  vimNames?: { path: string; name: string }[];
  /**
   * What no network of the request may overlap. Windlass compares it with the subnets that the VIM has: a driver asks no VIM. Any that does: 400.
   */
  ranges?: KeptRange[];
  /** CPs, by their names, whose ports need an address of IPv4. A network without an IPv4 subnet that the request puts one on: 400. */
  ipv4Cps?: string[];
  /** What the operation's hooks can't do without; where the VIM does not have it for us, the operation ends before anything is made. */
  needs?: DriverNeed[];
  /** What Windlass looks at before it takes the request. */
  looks?: DriverLook[];
  /** RFC 7396 merge patch over `requestParams` with the normalised values; what the hooks will see. Where it repeats `***`, what was sent stays. */
  normalised: JsonObject;
}

/** A management driver: rules that are computed anywhere, and actions that run where its service runs. */
export interface ManagementDriver {
  describe(): DriverDescription;
  /** The tenant is the project on whose behalf is asked. */
  validate(request: ValidateRequest, tenant?: string): ValidateReply | Promise<ValidateReply>;
  /** The hook's plan: pure, no clock, no randomness, no machine. An empty sequence where there is nothing to do. */
  plan(context: HookContext): Plan | Promise<Plan>;
}
