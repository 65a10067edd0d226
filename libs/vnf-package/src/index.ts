export { Csar, openCsar, type DigestAlgorithm } from './archive/csar.js';
export type { CsarMember } from './archive/csar-member.js';
export { bufferCsarSource, fileCsarSource, type CsarSource } from './source/csar-source.js';
export { resolveInPackage, safeMemberName } from './archive/member-name.js';
export { checkAnnouncedSizes } from './archive/list-members.js';
export type { MemberRange } from './archive/member-stream.js';
export { provenBytes, type AnnouncedMember } from './archive/proven-bytes.js';
export type { BaseHot, HotFile, HotParameter } from './hot/base-hot.js';
export {
  serversOfTemplates,
  type DesiredCapacity,
  type HotFloatingIp,
  type HotGroup,
  type HotServer,
} from './hot/hot-resources.js';
export type { NfvReference } from './hot/nfv-references.js';
export { fits } from './agreement/agreement.js';
export { rewriteBaseHot, type HeatTemplates, type HotChanges } from './hot/rewrite-base-hot.js';
export {
  faultsTogether,
  faultText,
  identityOf,
  placeText,
  readAllManifests,
  readManifests,
  type Manifest,
  type ManifestFault,
  type ManifestPlace,
  type ReadManifests,
} from './kubernetes/read-manifests.js';
export { REPLICATED, TEMPLATED } from './kubernetes/manifest-faults.js';
export {
  csarLimits,
  DEFAULT_CSAR_LIMITS,
  DEFAULT_YAML_LIMITS,
  type CsarLimitOptions,
  type CsarLimits,
  type YamlLimits,
} from './refusals/limits.js';
export type { AdditionalArtifact, Checksum, RemoteArtifacts } from './metadata/verify-artifacts.js';
export { flavorSize, type FlavorSize } from './model/flavor-size.js';
export { bindingOf, boundDrivers, flavourOf } from './model/model-queries.js';
export { PackageError, type PackageErrorCode, type PackageWarning } from './refusals/package-error.js';
export {
  examineVnfPackage,
  readVnfPackage,
  verifyRemoteArtifacts,
  type ExaminedPackage,
  type ReadOptions,
  type VnfPackage,
} from './read-vnf-package.js';
export {
  checkScaleLevel,
  desiredCounts,
  mostInstances,
  permitsFixed,
  sizedByProfileAlone,
  groupSize,
  instantiationLevel,
  scaleStatusOf,
  type ScaleLevel,
  type WantedSize,
} from './model/scaling.js';
export type * from './model/model.js';
export { vnfdMembers } from './vnfd/vnfd-members.js';
export { buildCsar, rebuildCsar, type BuildOptions, type BuiltCsar } from './build/build-csar.js';
export type { TrustedSigners } from './signature/trusted-signers.js';
export { nodePortServiceOf } from './kubernetes/node-ports.js';
export { packagedVolumes, type PackagedVolume } from './kubernetes/persistent-volumes.js';
export { BROUGHT } from './scripts/known-modules.js';
export { namesOf } from './scripts/python-imports.js';
export { pythonLines } from './scripts/python-lines.js';
export { makesOwnPort } from './translate/translate-flavour.js';
export { plainYaml, yamlDocuments } from './yaml/plain-yaml.js';
export type { FieldFault } from './kubernetes/manifest-faults.js';
