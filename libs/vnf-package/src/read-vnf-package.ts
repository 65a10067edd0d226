import { archiveWarnings } from './archive/archive-warnings.js';
import type { Csar, DigestAlgorithm } from './archive/csar.js';
import { disagreements } from './agreement/agreement.js';
import { readBaseHot } from './hot/base-hot.js';
import { folderWarnings } from './hot/flavour-folders.js';
import { absentFiles } from './metadata/absent-files.js';
import { readMetadata } from './metadata/tosca-meta.js';
import {
  claimedArtifacts,
  imageClaims,
  type ClaimedArtifact,
  type RemoteArtifacts,
  verifyMembers,
  verifyRemote,
  wrongImages,
} from './metadata/verify-artifacts.js';
import { InvariantError } from '@windlass/foundation';
import { Faults } from './refusals/faults.js';
import { bringsManifests } from './kubernetes/brings-manifests.js';
import { describeBytes } from './refusals/limits.js';
import { PackageError, type PackageWarning } from './refusals/package-error.js';
import { envelopeSignature, manifestOutcome, type SignatureOutcome } from './signature/package-signature.js';
import type { TrustedSigners } from './signature/trusted-signers.js';
import { hasScripts, readUserDataScripts } from './scripts/user-data-scripts.js';
import { translatedHot } from './translate/translate-flavour.js';
import { readFlavours } from './vnfd/flavours.js';
import { loadDefinitions } from './vnfd/load-definitions.js';
import type { Flavour, SoftwareImage, SoftwareImageInfo, VnfPackageModel } from './model/model.js';
import type { Topology } from './vnfd/topology.js';
import { TypeTree } from './vnfd/type-tree.js';
import { idleParts } from './unused/idle-parts.js';
import { unusedParts } from './unused/unused-parts.js';
import { unusedSections } from './unused/unused-sections.js';
import { readVnfIdentity } from './vnfd/vnf-node.js';

export interface ReadOptions {
  /** Without it, artifacts outside of the package are refused. */
  remoteArtifacts?: RemoteArtifacts;
  /** Whose signatures count. Without them none is verified, and one that there is is warned of. */
  signers?: TrustedSigners;
  signal?: AbortSignal;
}

/** A package that may be onboarded. */
export interface VnfPackage {
  model: VnfPackageModel;
  /** What its author should know of. */
  warnings: PackageWarning[];
}

/** A package of which all but its artifacts at URLs is verified. */
export interface ExaminedPackage extends VnfPackage {
  /** Artifacts that lie elsewhere, which `verifyRemoteArtifacts` looks at. Plain data. */
  remote: ClaimedArtifact[];
}

/**
 * Verifies and reads an open package, as onboarding does: what {@link examineVnfPackage} and {@link verifyRemoteArtifacts} do together.
 * @throws PackageError naming the member and the reason; TransientError where the package's store fails.
 */
export async function readVnfPackage(csar: Csar, options: ReadOptions = {}): Promise<VnfPackage> {
  const examined = await examineVnfPackage(csar, options.signal, options.signers);
  return verifyRemoteArtifacts(examined, options.remoteArtifacts, options.signal);
}

/**
 * Verifies and reads what an open package holds: metadata, VNFD with imports, flavours, base HOTs; then every member is inflated once, so that a
 * bomb or a broken member is found now and not in the middle of an instantiation, and every hash that the package gives of its members is compared.
 * Its signature is verified where there are signers who are trusted.
 * Nothing outside of the package is looked at.
 * @throws PackageError naming the member and the reason; TransientError where the package's store fails.
 */
export async function examineVnfPackage(csar: Csar, signal?: AbortSignal, signers?: TrustedSigners): Promise<ExaminedPackage> {
  const enclosed = await envelopeSignature(csar, signers, signal);
  const faults = new Faults();
  const metadata = await readMetadata(csar, signal, faults);
  // Who is not trusted is told so, and not read any further.
  const signature = enclosed ?? (faults.any ? NO_SIGNATURE : await manifestOutcome(csar, metadata, signers, signal));
  const claims = faults.keep(() => claimedArtifacts(csar, metadata)) ?? [];
  const described = await faults.keepLater(() => readDescription(csar, metadata.entryDefinitions, signal));
  const scripts = await faults.keepLater(() => readUserDataScripts(csar, signal));
  const images = described?.flavours.flatMap(imagesOf) ?? [];
  const pictured = imageClaims(csar, metadata);
  const digests = await digestAll(csar, [...claims, ...pictured, ...signature.claims], images, signal);
  faults.keep(() => verifyMembers(signature.claims, digests));
  const own = claims.filter(({ url }) => url === undefined);
  const additionalArtifacts = faults.keep(() => verifyMembers(own, digests)) ?? [];
  faults.throwIfAny();
  if (described === undefined) throw new InvariantError('a package without faults has a description');
  const { identity, flavours, vnfdFiles } = described;
  const warnings = [
    ...described.warnings,
    ...archiveWarnings(csar),
    ...metadata.warnings,
    ...absentFiles(csar, metadata.artifactBlocks, membersOf(images)),
    ...wrongImages(pictured, digests),
    ...imageWarnings(csar, images, digests),
    ...(scripts?.warnings ?? []),
    ...signature.warnings,
  ];
  const model: VnfPackageModel = {
    formatVersion: 1,
    ...identity,
    flavours,
    softwareImages: softwareImages(images, identity.provider),
    additionalArtifacts,
    entryDefinitions: metadata.entryDefinitions,
    vnfdFiles,
    ...(scripts === undefined || !hasScripts(csar) ? {} : { reconnectingScripts: scripts.reconnecting }),
    ...(scripts === undefined || Object.keys(scripts.installed).length === 0 ? {} : { scriptModules: scripts.installed }),
  };
  refuseLargeModel(csar, metadata.entryDefinitions, { model, warnings });
  return { model, warnings, remote: claims.filter(({ url }) => url !== undefined) };
}

const NO_SIGNATURE: SignatureOutcome = { warnings: [], claims: [] };

/** What the VNFD and the templates say. All that is wrong with them is told at once, as far as it does not follow from something else. */
async function readDescription(csar: Csar, entryDefinitions: string, signal: AbortSignal | undefined) {
  const definitions = await loadDefinitions(csar, entryDefinitions, signal);
  const types = new TypeTree(definitions);
  const faults = new Faults();
  const identity = faults.keep(() => readVnfIdentity(definitions, types));
  const read = faults.keep(() => readFlavours(definitions, types, csar));
  const { flavours, topologies, warnings } = read ?? { flavours: [], topologies: new Map<string, Topology>(), warnings: [] };
  for (const flavour of flavours)
    await faults.keepLater(() => addTemplates(csar, flavour, topologies.get(flavour.id), warnings, signal));
  faults.throwIfAny();
  if (identity === undefined) throw new InvariantError('a VNFD without faults has an identity');
  const files = flavours.map(({ file }) => file);
  warnings.push(...unusedSections(definitions, files));
  const ids = flavours.map(({ id }) => id);
  warnings.push(...folderWarnings(csar, ids));
  return { identity, flavours, warnings, vnfdFiles: [...definitions.members] };
}

/**
 * Fetches the artifacts that a package names by URL, and compares their hashes. None is fetched while another may not be.
 * @throws PackageError `meta.remote-source`, `meta.hash-mismatch`; and what fetching throws
 */
export async function verifyRemoteArtifacts(
  { model, warnings, remote }: ExaminedPackage,
  artifacts: RemoteArtifacts | undefined,
  signal?: AbortSignal,
): Promise<VnfPackage> {
  const verified = await verifyRemote(remote, artifacts, signal);
  return {
    model: { ...model, additionalArtifacts: [...model.additionalArtifacts, ...verified.artifacts] },
    warnings: [...warnings, ...verified.warnings],
  };
}

/** What is kept is read again for each answer and each operation. */
function refuseLargeModel(csar: Csar, member: string, kept: VnfPackage): void {
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  const most = csar.limits.modelBytes;
  if (bytes <= most) return;
  const reason = `what it describes, with templates and warnings, is ${describeBytes(bytes)} of JSON; at most ${describeBytes(most)} are kept of a VNFD`;
  throw new PackageError('vnfd.too-large', reason, { member });
}

/** The templates that the package carries for the flavour, or those that are made from its VNFD. */
async function addTemplates(
  csar: Csar,
  flavour: Flavour,
  topology: Topology | undefined,
  warnings: PackageWarning[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const carried = await readBaseHot(csar, flavour.id, warnings, signal);
  if (carried !== undefined) {
    flavour.baseHot = carried;
    warnings.push(...disagreements(flavour, carried), ...unreadParts(flavour, topology, false));
  } else if (await isForContainers(csar, flavour, signal)) {
    const reason = 'no VDU of it has an image to boot from: it can be instantiated on a Kubernetes cluster alone';
    warnings.push({ code: 'flavour.containers-alone', subject: `flavour ${flavour.id}`, reason });
  } else if (topology !== undefined) {
    const translated = await translatedHot(csar, flavour, topology, signal);
    flavour.baseHot = translated.hot;
    warnings.push(...unreadParts(flavour, topology, true), ...translated.warnings);
  }
}

const unreadParts = ({ id }: Flavour, topology: Topology | undefined, translated: boolean): PackageWarning[] =>
  topology === undefined ? [] : [...unusedParts(topology, translated), ...idleParts(id, topology, translated)];

/** Manifests come with the package, and nothing that a server could boot from. */
const isForContainers = async (csar: Csar, { vdus, storages }: Flavour, signal: AbortSignal | undefined): Promise<boolean> =>
  [...vdus, ...storages].every(({ image }) => image === undefined) && (await bringsManifests(csar, signal));

interface UsedImage {
  nodeId: string;
  image: SoftwareImage;
}

const imagesOf = (flavour: Flavour): UsedImage[] =>
  [...flavour.vdus, ...flavour.storages].flatMap(({ id, image }) => (image === undefined ? [] : [{ nodeId: id, image }]));

type Digests = Map<string, Partial<Record<DigestAlgorithm, string>>>;

/** Inflates every member to its end, computing what some claim or image needs on the way. */
async function digestAll(
  csar: Csar,
  claims: readonly ClaimedArtifact[],
  images: readonly UsedImage[],
  signal: AbortSignal | undefined,
): Promise<Digests> {
  const wanted = new Map<string, Set<DigestAlgorithm>>(csar.members.map(({ name }) => [name, new Set()]));
  for (const { member, algorithm } of claims) if (member !== undefined) wanted.get(member)?.add(algorithm);
  for (const { image } of images) {
    const algorithm = imageAlgorithm(image);
    if (image.file?.kind === 'member' && algorithm !== undefined) wanted.get(image.file.path)?.add(algorithm);
  }
  const digests: Digests = new Map();
  for (const [name, algorithms] of wanted) digests.set(name, await csar.digestMember(name, [...algorithms], signal));
  return digests;
}

function imageAlgorithm({ checksum }: SoftwareImage): DigestAlgorithm | undefined {
  const match = /^sha-?(224|256|384|512)$/i.exec(checksum.algorithm);
  return match?.[1] === undefined ? undefined : (`sha${match[1]}` as DigestAlgorithm);
}

const membersOf = (images: readonly UsedImage[]): Set<string> =>
  new Set(images.flatMap(({ image: { file } }) => (file?.kind === 'member' ? [file.path] : [])));

/** A wrong image is no refusal: the reference system onboards it, and one whose image is in the VIM already never uploads it. */
function imageWarnings(csar: Csar, images: readonly UsedImage[], digests: Digests): PackageWarning[] {
  const warnings = images.flatMap(({ nodeId, image }): PackageWarning[] => {
    if (image.file?.kind !== 'member') return [];
    const { path, present } = image.file;
    const subject = `${path}, ${nodeId}`;
    if (!present) {
      const reason = `the package does not carry the image's bytes: it must exist in the VIM under the name "${image.name}"`;
      return [{ code: 'image.absent', subject, reason }];
    }
    const wrong = [formatFault(image), sizeFault(image, csar.member(path).size), checksumFault(image, digests.get(path))];
    return wrong.flatMap((fault) => (fault === undefined ? [] : [{ ...fault, subject }]));
  });
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

type ImageFault = Pick<PackageWarning, 'code' | 'reason'> | undefined;

/** Glance's own lists (`disk_formats`, `container_formats`); an operator may have others. */
const FORMATS = {
  diskFormat: ['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'ploop', 'iso', 'luks', 'gpt'],
  containerFormat: ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'],
} as const;

function formatFault(image: SoftwareImage): ImageFault {
  const unknown = (['diskFormat', 'containerFormat'] as const).filter((key) => !FORMATS[key].some((each) => each === image[key]));
  if (unknown.length === 0) return undefined;
  const said = unknown.map((key) => `${key === 'diskFormat' ? 'disk_format' : 'container_format'} "${image[key]}"`).join(' and ');
  return {
    code: 'image.unknown-format',
    reason: `sw_image_data has the ${said}, which Glance takes only where its operator added it`,
  };
}

/** SOL001's size is a declaration, and most are round. Nothing hangs on it. */
const sizeFault = ({ size }: SoftwareImage, real: number): ImageFault =>
  size === 0 || size === real
    ? undefined
    : { code: 'image.size-differs', reason: `sw_image_data declares ${size} bytes, the file has ${real}: those are uploaded` };

function checksumFault(image: SoftwareImage, digests: Partial<Record<DigestAlgorithm, string>> | undefined): ImageFault {
  const algorithm = imageAlgorithm(image);
  if (algorithm === undefined) {
    const reason = `sw_image_data gives a hash by ${image.checksum.algorithm}, which is not compared: give one by sha-256 or sha-512`;
    return { code: 'image.checksum-unread', reason };
  }
  const real = digests?.[algorithm];
  if (real === undefined || real === image.checksum.hash.toLowerCase()) return undefined;
  const reason = `sw_image_data gives ${image.checksum.algorithm} ${image.checksum.hash}, its content has ${real}: an upload will be refused`;
  return { code: 'image.checksum-mismatch', reason };
}

/** The list of `VnfPkgInfo`; flavours mostly share their images, so equal entries appear once. */
function softwareImages(images: readonly UsedImage[], provider: string): SoftwareImageInfo[] {
  const infos = images.map(({ nodeId, image }): SoftwareImageInfo => ({
    id: nodeId,
    name: image.name,
    provider,
    version: image.version,
    checksum: image.checksum,
    containerFormat: image.containerFormat.toUpperCase(),
    diskFormat: image.diskFormat.toUpperCase(),
    minDisk: image.minDisk,
    minRam: image.minRam,
    size: image.size,
    userMetadata: {},
    imagePath: image.file?.kind === 'member' && image.file.present ? image.file.path : '',
  }));
  return [...new Map(infos.map((info) => [JSON.stringify(info), info])).values()];
}
