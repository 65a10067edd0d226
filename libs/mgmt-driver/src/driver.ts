import { shape, type InvalidParam, type JsonObject, type Shape, type TypeOf } from '@windlass/foundation';
import type { InputSchema, Plan } from '@windlass/saga';
import { OFFERED_OPERATIONS, type OfferedOperation } from '@windlass/sol003/operations';
import {
  affectedVnfcs,
  healedVnfcs,
  nodePorts,
  packageFile,
  type ConnectivityChange,
  type HookContext,
  type SharedCp,
  type Vnfc,
} from './hook-context.js';
import type { Hook } from './hooks.js';
import { list, name, object, text } from './shapes.js';

/** Operations that drivers are asked about, as SOL003 spells them. */
export type CheckedOperation = OfferedOperation;
/** All of them. */
export const CHECKED_OPERATIONS: readonly CheckedOperation[] = OFFERED_OPERATIONS;

/** Those of them that an instance must be there for. */
export type OperationOnInstance = Exclude<CheckedOperation, 'INSTANTIATE'>;

/** The version of an action. */
const version = shape.integer({ minimum: 1 });

/** A token of a NATS subject. */
const subjectToken = shape.text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 255 });

const ofOperation = shape.optional(object<JsonObject>());

/** The shape of a {@link DriverDescription}. The schema of an action's input is at `#/$defs/inputSchema`, of whoever shows this one. */
export const driverDescription = shape.object({
  /** The version of the contract that it speaks. */
  contract: shape.constant(2),
  /** The implementation's name in VNFDs: `mgmt-drivers-kubernetes`. */
  driver: subjectToken,
  /** Semantic version of the driver; stands in the journal beside each plan. */
  version: name,
  /** The service whose workers run its actions. */
  service: subjectToken,
  hooks: list(text<Hook>()),
  actions: list(shape.object({ name, version })),
  /** Actions of its service that the plans of other drivers may use, each with what it takes. Absent: none. */
  offers: shape.optional(
    shape.list({
      maxItems: 100,
      items: shape.object({ name, version, input: shape.of<InputSchema>({ $ref: '#/$defs/inputSchema' }) }),
    }),
  ),
  /** JSON Schema of what it reads in `additionalParams`; secrets are `writeOnly: true`, and are masked by that wherever they are shown. */
  parameters: object<JsonObject>(),
  /**
   * The same of the `additionalParams` of operations on an instance that is there. Those without one are taken as they are; what any schema of
   * the driver marks as secret is masked in all of them.
   */
  operationParameters: shape.optional(
    shape.closed({
      SCALE: ofOperation,
      SCALE_TO_LEVEL: ofOperation,
      HEAL: ofOperation,
      TERMINATE: ofOperation,
      OPERATE: ofOperation,
      CHANGE_EXT_CONN: ofOperation,
      MODIFY_INFO: ofOperation,
    } satisfies Record<OperationOnInstance, unknown>),
  ),
});

/** What a driver says of itself when it starts (`windlass.mgmt.announce`); kept, so that checking and masking work while it is down. */
export type DriverDescription = TypeOf<typeof driverDescription>;

const ofSnapshots = {
  /** ISO 8601. */
  takenAt: name,
  /** Address of the master that it is of. */
  master: name,
  /** SHA-256 of the CA's certificate, hex. */
  ca: name,
};

const restorableSnapshot = shape.object(ofSnapshots);

/** A snapshot of the control plane of the cluster as it is registered as a VIM: one of an earlier life of the instance has another CA. */
export type RestorableSnapshot = TypeOf<typeof restorableSnapshot>;

const namedSnapshot = shape.object({
  id: name,
  /** Of the archive, hex. */
  sha256: name,
  ...ofSnapshots,
});

/** As requests name it, by one of both. */
export type NamedSnapshot = TypeOf<typeof namedSnapshot>;

const requestedInstance = shape.object({
  /** In the order of the VDUs, the oldest first. */
  vnfcs: list(object<Vnfc>()),
  sharedCps: list(object<SharedCp>()),
  /**
   * What is known already of whom the operation touches: REMOVED those that a scaling names to leave (who leaves besides is chosen when the stack
   * has been looked at, and is told at `scale_start`), MODIFIED those that are started or stopped, or connected otherwise.
   */
  affectedVnfcs,
  /** As {@link HookContext.clusterUrl}. */
  clusterUrl: shape.optional(name),
  /** Of a heal: what is healed. */
  heal: shape.optional(healedVnfcs),
  /** Of a heal: the snapshot of which the cluster that the instance is now can be made again. Absent where there is none, or a core of an older release asks. */
  snapshot: shape.optional(restorableSnapshot),
  /** Of a heal: all of which it can be made again, the newest first. Absent where a core of an older release asks. */
  snapshots: shape.optional(list(namedSnapshot)),
  /** Of a change of the external connectivity: what is connected otherwise. */
  connectivity: shape.optional(shape.unchecked<ConnectivityChange>()),
});

/** What a request is about, as {@link HookContext} has it. */
export type RequestedInstance = TypeOf<typeof requestedInstance>;

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

/** The shape of a {@link ValidateRequest}. */
export const validateRequest = shape.object({
  operation: text<CheckedOperation>(),
  vnfInstanceId: name,
  /** `additionalParams` of the request. */
  requestParams: object<JsonObject>(),
  /** Those of the instantiation; the same as `requestParams` when instantiating. */
  instantiateParams: object<JsonObject>(),
  /** The chosen flavour, so that names and sizes in the parameters can be checked. */
  flavour: object<RequestedFlavour>(),
  /** Every file of the package. */
  files: list(packageFile),
  /**
   * The hooks of the operation that the VNFD binds to the driver: none where it is asked because others are bound to it. Absent where a core of an
   * older release asks.
   */
  hooks: shape.optional(shape.unchecked<Hook[]>()),
  /** The rest of the request (no `additionalParams`, no `vimConnectionInfo`), secrets masked. Absent where a core of an older release asks. */
  request: shape.optional(object<JsonObject>()),
  /** Of an instantiation on a cluster: the Services of the type NodePort that the manifests have. Absent otherwise, and where a core of an older release asks. */
  nodePorts: shape.optional(nodePorts),
  /** The instance as the record has it: nobody has looked at its VIM yet. Absent while it is not instantiated. */
  instance: shape.optional(requestedInstance),
  /** How many VNFCs each VDU will have once the operation is done, as far as VNFD, request and record tell; none of them after a termination. */
  countsAfter: shape.optional(shape.mapOf(shape.integer({ minimum: 0 }))),
});

/** Asked by lcm-api before its 202 (`windlass.mgmt.<driver>.validate`). Secrets are masked by the description's schema, as `***`. */
export type ValidateRequest = TypeOf<typeof validateRequest>;

const driverNeed = shape.oneOf(['compute-host']);

/**
 * What a driver can need of the VIM that not every VIM shows: `compute-host`, the name of the host that each server runs on, as {@link Vnfc.host}.
 * Whether it can be seen is looked at before anything is made.
 */
export type DriverNeed = TypeOf<typeof driverNeed>;

const driverLook = shape.oneOf(['bound-volumes']);

/**
 * What a driver can want looked at before the 202, which it can't look at by itself: `bound-volumes`, whether PersistentVolumes that the instance
 * registered in its own cluster (with {@link VOLUME_LABEL}) are in use there. Any: 409 with their names. A cluster that does not answer is said as
 * a warning, and does not keep the operation from beginning: the driver's hook looks again.
 */
export type DriverLook = TypeOf<typeof driverLook>;

const keptRange = shape.object({
  /** Pointer of the field that chose it; absent where the request has none: the path of the network that is in its way is told then. */
  path: shape.optional(shape.text()),
  /** What it is called: `pod_cidr`. */
  name: shape.text({ maxLength: 255 }),
  /** IPv4 or IPv6. */
  cidr: shape.text({ maxLength: 64 }),
});

/** Addresses that the VNF keeps for itself, such as those of a cluster's pods: its own routes would cut it off from machines that have them. */
export type KeptRange = TypeOf<typeof keptRange>;

const invalidParam: Shape<InvalidParam> = shape.object({ path: shape.text(), reason: shape.text() });

/** The shape of a {@link ValidateReply}. */
export const validateReply = shape.object({
  /** Paths are JSON pointers from the request's root: `/additionalParams/k8s_cluster_installation_param/script_path`. Any: 400. */
  invalidParams: list(invalidParam),
  /** A reason not to do it although the request is well-formed, such as a VIM in use: 409. */
  refusal: shape.optional(shape.object({ code: name, detail: shape.text() })),
  /** Said in the operation, not in the way of it: `pod_cidr 192.168.3.0/16 was taken as 192.168.0.0/16`. */
  warnings: list(shape.text()),
  /**
   * Names under which the operation is going to register VIMs, each with the pointer of the field that chose it. Windlass refuses a name that
   * another VIM of the project has: a driver is not told of the project's VIMs.
   */
  vimNames: shape.optional(list(shape.object({ path: shape.text(), name: shape.text({ maxLength: 255 }) }))),
  /**
   * What no network of the request may overlap. Windlass compares it with the subnets that the VIM has: a driver asks no VIM. Any that does: 400.
   */
  ranges: shape.optional(list(keptRange)),
  /** CPs, by their names, whose ports need an address of IPv4. A network without an IPv4 subnet that the request puts one on: 400. */
  ipv4Cps: shape.optional(list(shape.text({ maxLength: 255 }))),
  /** What the operation's hooks can't do without; where the VIM does not have it for us, the operation ends before anything is made. */
  needs: shape.optional(list(driverNeed)),
  /** What Windlass looks at before it takes the request. */
  looks: shape.optional(list(driverLook)),
  /** RFC 7396 merge patch over `requestParams` with the normalised values; what the hooks will see. Where it repeats `***`, what was sent stays. */
  normalised: object<JsonObject>(),
});

/** The answer to a {@link ValidateRequest}: what is wrong, what is refused, and the parameters as the driver takes them. */
export type ValidateReply = TypeOf<typeof validateReply>;

/** A management driver: rules that are computed anywhere, and actions that run where its service runs. */
export interface ManagementDriver {
  describe(): DriverDescription;
  /** The tenant is the project on whose behalf is asked. */
  validate(request: ValidateRequest, tenant?: string): ValidateReply | Promise<ValidateReply>;
  /** The hook's plan: pure, no clock, no randomness, no machine. An empty sequence where there is nothing to do. */
  plan(context: HookContext): Plan | Promise<Plan>;
}
