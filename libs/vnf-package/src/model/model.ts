import type { Bytes } from '@windlass/foundation';
import type { AdditionalArtifact, Checksum } from '../metadata/verify-artifacts.js';
import type { BaseHot } from '../hot/base-hot.js';

/**
 * All that Windlass keeps of a VNF package besides its bytes: plain data that survives JSON. Written once, at onboarding.
 * Names are those of SOL001 and SOL003; sizes are bytes.
 */
export interface VnfPackageModel {
  /** Version of this shape: a stored model may be older than the code that reads it. */
  formatVersion: 1;
  vnfdId: string;
  provider: string;
  productName: string;
  softwareVersion: string;
  descriptorVersion: string;
  vnfmInfo: string[];
  flavours: Flavour[];
  softwareImages: SoftwareImageInfo[];
  additionalArtifacts: AdditionalArtifact[];
  /** Member that holds the top VNFD. */
  entryDefinitions: string;
  /** Members that make up the VNFD: the top one first, then what it imports and the package carries. */
  vnfdFiles: string[];
  /** Scripts that may have a method `change_ext_conn`, by their paths. Absent: an earlier release onboarded the package. */
  reconnectingScripts?: string[];
  /** By script, the modules that must be installed where it is run. Absent: none, or an earlier release onboarded the package. */
  scriptModules?: Record<string, string[]>;
}

/** A software image as `VnfPkgInfo.softwareImages` shows it (SOL003 10.5.3.2), but for `createdAt`, which is the caller's. */
export interface SoftwareImageInfo {
  /** Name of the VDU or storage node; unique in a flavour. */
  id: string;
  name: string;
  provider: string;
  version: string;
  checksum: Checksum;
  /** In capitals, as SOL003 has it: `BARE`. */
  containerFormat: string;
  /** In capitals, as SOL003 has it: `QCOW2`. */
  diskFormat: string;
  minDisk: Bytes;
  minRam: Bytes;
  size: Bytes;
  userMetadata: Record<string, never>;
  /** Member of the package; empty where the package names no file or does not carry it. */
  imagePath: string;
}

/** One deployment flavour. */
export interface Flavour {
  id: string;
  description: string;
  /** Member that defines it. */
  file: string;
  vdus: Vdu[];
  cps: ConnectionPoint[];
  virtualLinks: VirtualLink[];
  storages: Storage[];
  scalingAspects: ScalingAspect[];
  instantiationLevels: InstantiationLevel[];
  /** Absent where the VNFD defines no levels. */
  defaultInstantiationLevelId?: string;
  affinityRules: AffinityRule[];
  /** By hook or operation of the interface `Vnflcm`: `instantiate_end`. */
  lcmBindings: Record<string, LcmBinding>;
  /** What `BaseHOT/<flavour id>/` has, or what was made from the VNFD; absent in packages of a release that made nothing from it. */
  baseHot?: BaseHot;
}

/** `tosca.nodes.nfv.Vdu.Compute`. */
export interface Vdu {
  /** Name of its node; the Heat server resource is named so too. */
  id: string;
  name: string;
  description: string;
  /** Nova flavor by name: `requested_additional_capability_name`. */
  flavorName?: string;
  virtualCpus?: number;
  memoryBytes?: Bytes;
  /** First entry of `virtual_local_storage`. */
  diskBytes?: Bytes;
  image?: SoftwareImage;
  /** Storage nodes it requires. */
  storageIds: string[];
  /** `VduInitialDelta`: instances at scale level 0. */
  initialInstances?: number;
  /** `vdu_profile`. */
  minInstances?: number;
  maxInstances?: number;
}

export interface SoftwareImage {
  /** Name under which the image is, or will be, known in Glance. */
  name: string;
  version: string;
  checksum: Checksum;
  /** In small letters, as Glance wants it: `bare`. */
  containerFormat: string;
  diskFormat: string;
  minDisk: Bytes;
  minRam: Bytes;
  size: Bytes;
  /** What the artifact `sw_image` names: a member of the package, or a URL. */
  file?: ImageFile;
}

export type ImageFile =
  | {
      kind: 'member';
      path: string;
      /** False where the package does not carry the bytes: the image is then looked up in the VIM by its name. */
      present: boolean;
    }
  | { kind: 'url'; url: string };

/** `tosca.nodes.nfv.VduCp` or `VnfExtCp`. */
export interface ConnectionPoint {
  /** Name of its node: the `cpdId` of requests, and the Heat port's name. */
  id: string;
  /** The VDU it is bound to; absent for a `VnfExtCp` of the VNF as a whole. */
  vduId?: string;
  /** The internal virtual link it hangs on. */
  virtualLinkId?: string;
  /** True where a request gives its network by `extVirtualLinks`. */
  external: boolean;
  /** Order of the NIC in its VDU. */
  order?: number;
  layerProtocols: string[];
}

/** `tosca.nodes.nfv.VnfVirtualLink`. */
export interface VirtualLink {
  id: string;
  description: string;
}

/** `tosca.nodes.nfv.Vdu.VirtualBlockStorage` and its siblings. */
export interface Storage {
  id: string;
  kind: 'block' | 'object' | 'file';
  sizeBytes?: Bytes;
  image?: SoftwareImage;
}

export interface ScalingAspect {
  id: string;
  name: string;
  description: string;
  maxScaleLevel: number;
  /** Instances that one step adds, by VDU. Only the first of `step_deltas` counts, as in the reference system. */
  deltas: { vduId: string; instances: number }[];
}

export interface InstantiationLevel {
  id: string;
  description: string;
  scaleLevels: { aspectId: string; scaleLevel: number }[];
  /** `VduInstantiationLevels`. */
  vduInstances: { vduId: string; instances: number }[];
}

/** Policies `AffinityRule` and `AntiAffinityRule`. */
export interface AffinityRule {
  id: string;
  kind: 'affinity' | 'anti-affinity';
  /** `nfvi_node`, `zone`, `zone_group` or `nfvi_pop`. */
  scope: string;
  /** VDUs it holds for, groups resolved. */
  vduIds: string[];
  /** The `PlacementGroup` it was given for, if it was. */
  groupIds: string[];
}

/** What the VNFD binds to a hook. */
export interface LcmBinding {
  /** Name of the management driver: `mgmt-drivers-kubernetes`. */
  implementation: string;
  /** The artifact of that name. Its file is never run: the name binds. */
  artifact?: { type: string; file: string; present: boolean };
}
