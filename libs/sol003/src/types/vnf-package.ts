import type { Checksum, KeyValuePairs, Link, ProblemDetails } from './common.js';
import type { PackageOnboardingStateType, PackageOperationalStateType, PackageUsageStateType } from './enumerations.js';

/** A VNF package (SOL005 9.5.2.5, SOL003 9.5.2.5). What comes from the VNFD is absent until it is ONBOARDED. */
export interface VnfPkgInfo {
  id: string;
  vnfdId?: string;
  vnfProvider?: string;
  vnfProductName?: string;
  vnfSoftwareVersion?: string;
  vnfdVersion?: string;
  /** Of the whole zip. */
  checksum?: Checksum;
  softwareImages?: VnfPackageSoftwareImageInfo[];
  additionalArtifacts?: VnfPackageArtifactInfo[];
  onboardingState: PackageOnboardingStateType;
  operationalState: PackageOperationalStateType;
  usageState: PackageUsageStateType;
  userDefinedData?: KeyValuePairs;
  /** Why the last onboarding failed. Later editions of SOL005 have it; the reference system only logs it. */
  onboardingFailureDetails?: ProblemDetails;
  _links: VnfPkgInfoLinks;
}

/** SOL005 9.5.2.5, `_links`. */
export interface VnfPkgInfoLinks {
  self: Link;
  vnfd?: Link;
  packageContent: Link;
}

/** A software image in the package (SOL005 9.5.3.2). Sizes in bytes. */
export interface VnfPackageSoftwareImageInfo {
  /** Name of the node in the VNFD. */
  id: string;
  name: string;
  provider: string;
  version: string;
  checksum: Checksum;
  containerFormat: 'AKI' | 'AMI' | 'ARI' | 'BARE' | 'DOCKER' | 'OVA' | 'OVF';
  diskFormat: 'AKI' | 'AMI' | 'ARI' | 'ISO' | 'QCOW2' | 'RAW' | 'VDI' | 'VHD' | 'VHDX' | 'VMDK';
  createdAt: string;
  minDisk: number;
  minRam: number;
  size: number;
  userMetadata?: KeyValuePairs;
  /** Path in the package, or a URL. */
  imagePath: string;
}

/** A file of the package that can be fetched by its path (SOL005 9.5.3.3). */
export interface VnfPackageArtifactInfo {
  artifactPath: string;
  checksum: Checksum;
  metadata?: KeyValuePairs;
}
