import type { Answers } from '../../dist/openapi.js';

/** The item of a list. */
type Each<List> = List extends readonly (infer Item)[] ? Item : never;

export type Instance = Answers['/vnflcm/v1/vnf_instances/{id}'];
export type InstantiatedInfo = NonNullable<Instance['instantiatedVnfInfo']>;
export type OpOcc = Answers['/vnflcm/v1/vnf_lcm_op_occs/{id}'];
export type Operation = Answers['/windlass/v1/operations/{id}'];
export type Step = Each<Answers['/windlass/v1/operations/{id}/steps']>;
export type WaitReason = Step['waitsFor'][number];
export type Who = Answers['/windlass/v1/identity'];
export type CleanUp = Each<Answers['/windlass/v1/clean_ups']>;
export type Vim = Each<Answers['/v1.0/vims']['vims']>;

/** A VNF package (SOL005 9.5.2.5), as far as it is shown here. */
export interface Package {
  id: string;
  vnfdId?: string;
  vnfProvider?: string;
  vnfProductName?: string;
  vnfSoftwareVersion?: string;
  vnfdVersion?: string;
  checksum?: { algorithm: string; hash: string };
  onboardingState: string;
  operationalState: string;
  usageState: string;
  onboardingFailureDetails?: { detail?: string };
  windlassWarnings?: string[];
  softwareImages?: { id: string; name: string; version?: string; size?: number; diskFormat?: string; imagePath?: string }[];
  additionalArtifacts?: { artifactPath: string; checksum?: { algorithm: string; hash: string } }[];
}

/** What an operation would do (docs/contracts/rest-extensions.md). */
export interface Plan {
  operation: string;
  warnings: string[];
  pointOfNoReturn: string | null;
  vms: { toCome: string[]; toGo: string[] };
  volumes?: { toGo: string[] };
  estimate: { seconds: number; isLowerBound: boolean };
  plan: PlannedNode;
}

/** A step of it, or several: one after the other, or side by side. */
export type PlannedNode =
  { kind: 'sequence'; of: PlannedNode[] } | { kind: 'parallel'; of: PlannedNode[]; limit?: number } | PlannedStep;

export interface PlannedStep {
  kind: 'step';
  id: string;
  action: string;
  service: string;
  target: string | null;
  vms: { name: string; isToCome: boolean }[];
  undoable: boolean;
  pivot: boolean;
  duration: { seconds: number; basedOn: number } | null;
  hook?: { driver: string; plan?: PlannedNode; refusal?: { code: string; detail: string } };
}
