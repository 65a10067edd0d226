import { shape, type JsonObject, type TypeOf } from '@windlass/foundation';
import type { Hook } from './hooks.js';
import { list, name, object, text } from './shapes.js';

/** One connection point of a VNFC, as it is in the VIM. */
export interface VnfcCp {
  /** Name of the CP's descriptor and of its Heat resource. */
  cpdId: string;
  /** Neutron port id. */
  resourceId: string;
  mac: string | null;
  /** Fixed addresses, the first the one that drivers call "the" address. */
  addresses: string[];
  /** A floating IP bound to this port, if any. */
  floatingIp: string | null;
}

/** A volume that a VNFC has, as Cinder and Nova know it. */
export interface VnfcVolume {
  /** Name of its Heat resource, in the template in which it stands. */
  name: string;
  /** Cinder's id: another one where the volume was replaced. The machine shows its first 20 characters as the disk's serial. Empty where the volume is missing. */
  resourceId: string;
  /** As Nova attached it, such as `/dev/vdb`; the machine may call it otherwise. Null where it is not attached, or nobody says. */
  device: string | null;
}

const vnfVolume = shape.object({
  /** {@link VnfcVolume.name} */
  name,
  /** {@link VnfcVolume.resourceId} */
  resourceId: shape.text(),
  /** {@link VnfcVolume.device} */
  device: shape.textOrNull(),
  /** {@link Vnfc.id} */
  vnfcId: name,
});

/** A {@link VnfcVolume}, and whose it is. */
export type VnfVolume = TypeOf<typeof vnfVolume>;

/** One VNFC: a VM with what a driver needs to find it. No credentials: those are resolved when a step is claimed. */
export interface Vnfc {
  /** `vnfcResourceInfo.id`: stays when the VM behind it is replaced. */
  id: string;
  vduId: string;
  /** The scaling group (aspect) that it is a member of, if any. */
  aspectId: string | null;
  /** The member's name in its group, which a replaced VM keeps. */
  memberName: string | null;
  /** When the VIM made that member, ISO 8601: it stays so when a server in it is replaced. Absent without a member, and where an older release has read its stack. */
  memberCreatedAt?: string;
  /** Nova server id: another one after a replacement, and a new host key with it. */
  resourceId: string;
  /** Nova server name. */
  name: string;
  /** When the VIM made it, ISO 8601. */
  createdAt: string | null;
  /** Name of the OpenStack compute host, where the VIM shows it to us; see {@link DriverNeed}. Never anything in its place. */
  host: string | null;
  /** The availability zone that it is in, as Nova says. */
  zone: string | null;
  /** Where an NFVO's grant names a zone for its VDU: the one that Nova says, and the grant's where no server has been seen. Absent without such a grant. */
  grantedZone?: string;
  /**
   * SSH host keys that are known before it is first seen, from its server's metadata or from the request: it must show one of them. Type and base64
   * each, as in a known_hosts file. Absent: what it shows first is pinned.
   */
  hostKeys?: string[];
  cps: VnfcCp[];
  /** Those that are attached to it, or were made for it. Absent where a core of an older release has read its stack. */
  volumes?: VnfcVolume[];
}

/** A resource of the VNF that belongs to no VNFC: a VIP's port, a floating IP. */
export interface SharedCp {
  name: string;
  resourceId: string;
  addresses: string[];
  floatingIp: string | null;
}

const nodePortService = shape.object({
  namespace: name,
  name,
  ports: list(
    shape.object({
      /** Absent before the cluster has chosen it, where the manifest leaves that to the cluster. */
      nodePort: shape.optional(shape.integer({ minimum: 1, maximum: 65_535 })),
      /** TCP, UDP or SCTP. */
      protocol: name,
    }),
  ),
});

/** A Service of the type NodePort of a VNF of containers: each node of the cluster answers at its ports. */
export type NodePortService = TypeOf<typeof nodePortService>;

/** {@link NodePortService}s. */
export const nodePorts = list(nodePortService);

/** The shape of {@link HealedVnfcs}. */
export const healedVnfcs = shape.object({
  /** {@link Vnfc.id} of each VNFC that is healed, as before the heal. They stay, but where the whole is made anew. */
  vnfcIds: list(name),
  /** No VNFC was named: all of them. */
  whole: shape.flag,
  /** Everything is deleted and made anew: other ids, addresses and machines. In `heal_end` none of `vnfcIds` is there any more. */
  recreates: shape.flag,
  /** The request's words. */
  cause: shape.textOrNull(),
  /** Nova server id that each had when the heal began, empty where there was none; afterwards `vnfcs` has the new one. */
  earlierResourceIds: shape.mapOf(shape.text()),
});

/** What a heal is about; the same in `heal_start` and `heal_end`. */
export type HealedVnfcs = TypeOf<typeof healedVnfcs>;

/** What a change of the external connectivity is about; the same in both of its hooks. */
export interface ConnectivityChange {
  /** Connection points (`cpdId`) that the request names, with whether their addresses can become others: by another network, or another address. */
  cps: { cpdId: string; moves: boolean }[];
  /** Ids of Neutron's networks that connection points are to be connected to, by `cpdId`, as far as requests have said. */
  networks: Record<string, string>;
  /** CPs of VNFCs before the operation, by {@link Vnfc.id}. */
  earlierCps: Record<string, VnfcCp[]>;
  earlierSharedCps: SharedCp[];
}

const affectedVnfc = shape.object({
  changeType: shape.oneOf(['ADDED', 'REMOVED', 'MODIFIED']),
  /** As it is; one that is REMOVED as it was, and at the operation's `_end` hook it is not in `vnfcs` any more. */
  vnfc: object<Vnfc>(),
});

/** A VNFC that the operation touches (SOL003 5.5.3.13). */
export type AffectedVnfc = TypeOf<typeof affectedVnfc>;

/** {@link AffectedVnfc}s. */
export const affectedVnfcs = list(affectedVnfc);

const packedVolumes = shape.object({
  /** Names, and paths on their NFS servers (`spec.nfs.path`); none where the file has a fault. */
  volumes: shape.list({ maxItems: 100, items: shape.object({ name, path: name }) }),
  /** Why it is no manifest of PersistentVolumes on NFS servers; at most 300 characters. */
  fault: shape.optional(shape.text({ maxLength: 300 })),
});

/** What a file of the VNF package has of PersistentVolumes. */
export type PackedVolumes = TypeOf<typeof packedVolumes>;

/** The shape of a {@link PackageFile}. */
export const packageFile = shape.object({
  /** Path in the package. */
  path: name,
  size: shape.integer({ minimum: 0 }),
  /** Hex. */
  sha256: name,
  /** First line of a text, after a `#!` line if it begins with one; at most 200 characters, empty for what is no text. */
  firstLine: shape.text({ maxLength: 200 }),
  /**
   * Names of hosts that stand in the lines of a script that are no comments, lower case: `apt.kubernetes.io`. At most 50. Absent for what is no script,
   * names none, or was onboarded by an earlier release.
   */
  hosts: shape.optional(shape.list({ items: name, maxItems: 50 })),
  /** Of a file of YAML with a PersistentVolume. Absent for what has none, has more than 100, or was onboarded by an earlier release. */
  persistentVolumes: shape.optional(packedVolumes),
});

/** A file of the VNF package, described without its content. `size` is in bytes. */
export type PackageFile = TypeOf<typeof packageFile>;

/** The shape of a {@link HookContext}. */
export const hookContext = shape.object({
  hook: text<Hook>(),
  operationId: name,
  tenant: name,
  vnfInstanceId: name,
  /** Always there: cores have told it in each release, though the schema lets it be left out. */
  vnfInstanceName: shape.optional(name),
  flavourId: name,
  vnfPkgId: name,
  /** `additionalParams` of the instantiation, as the driver normalised them at the request; secrets masked. Source: {@link SOURCES.instantiateParams}. */
  instantiateParams: object<JsonObject>(),
  /** `additionalParams` of this operation's request; secrets masked. Source: {@link SOURCES.requestParams}. */
  requestParams: object<JsonObject>(),
  /** The rest of this operation's request (no `additionalParams`, no `vimConnectionInfo`). */
  request: object<JsonObject>(),
  /** All VNFCs as they stand now, in the order of their making. */
  vnfcs: list(object<Vnfc>()),
  /**
   * What the operation takes away or has brought: those that will leave at `scale_start` of a scale in, those that came at
   * `scale_end` of a scale out, and both of a scaling to a level. MODIFIED in hooks of operate: those that are started or stopped, and in hooks of change_external_connectivity: those
   * with a connection point that is connected otherwise. Empty where that is not known yet, and for operations that say nothing of it.
   */
  affectedVnfcs,
  sharedCps: list(object<SharedCp>()),
  /** Those of all {@link HookContext.vnfcs}, in their order. Absent where a core of an older release asks. */
  volumes: shape.optional(list(vnfVolume)),
  /** Where the cluster is registered as a VIM that the instance is: the `authUrl` that a driver's step has contributed. Absent for what is none, or where a core of an older release asks. */
  clusterUrl: shape.optional(name),
  /** Of a VNF of containers that was read: its Services of the type NodePort. Absent before, and of VNFs of VMs. */
  nodePorts: shape.optional(nodePorts),
  /** In hooks of heal: what is healed. */
  heal: shape.optional(healedVnfcs),
  /** In hooks of change_external_connectivity: what is connected otherwise, and how all was connected before. Absent where a core of an older release asks. */
  connectivity: shape.optional(shape.unchecked<ConnectivityChange>()),
  /** What the package says of the files that the parameters name. */
  files: list(packageFile),
});

/** What a driver knows when it makes a hook's plan. It holds no secret: those are masked, and steps point at them with `sourced`. */
export type HookContext = Omit<TypeOf<typeof hookContext>, 'vnfInstanceName'> & { vnfInstanceName: string };

/** Sources that a driver's steps may point at with `sourced(...)`; their values are put in when the step is claimed. */
export const SOURCES = {
  /** The instantiation's `additionalParams`, secrets and all. */
  instantiateParams: 'instantiate-params',
  /** This operation's `additionalParams`, secrets and all. */
  requestParams: 'request-params',
  /** Those of them that a retry has given anew and that the driver's schema marks with `mayChangeAtRetry`; an empty object before. */
  retryParams: 'retry-params',
  /** The {@link Vnfc} as it stands when the step is claimed. */
  vnfc: (id: string) => `vnfc:${id}`,
} as const;
