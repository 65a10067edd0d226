import { type Block, isDigestName, parseBlocks } from './blocks.js';
import { isManifestName, manifestsAmong, namedEntries, TOSCA_META, yamlAtRoot } from './manifests.js';
import type { Csar } from '../archive/csar.js';
import { baseName, resolveInPackage, whyUnresolved } from '../archive/member-name.js';
import { memberText } from '../archive/member-text.js';
import { Faults } from '../refusals/faults.js';
import { refuseOtherKind } from '../kinds/descriptor-kind.js';
import { namesKind } from '../kinds/file-kind.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';
import { parsedNode } from '../yaml/parsed-node.js';

/** What a package says about itself, before any VNFD is read. */
export interface PackageMetadata {
  /** Member that holds the top VNFD. */
  readonly entryDefinitions: string;
  /** Member that holds the manifest; of several, the one whose signature counts. */
  readonly manifest: string | undefined;
  /** Member that holds the certificate of who signed the manifest, where the signature has none. */
  readonly certificate: string | undefined;
  /** Blocks that describe artifacts, with the file they stand in. */
  readonly artifactBlocks: readonly { readonly file: string; readonly block: Block }[];
  readonly warnings: readonly PackageWarning[];
}

/**
 * Reads TOSCA.meta and the manifests: those that it names by the keys of any version of SOL004, and those that are found by their name. A package
 * without a TOSCA-Metadata folder is accepted when exactly one YAML file lies at its root (SOL004 4.1, option 2).
 * @param faults takes what is wrong with manifests
 * @throws PackageError `csar.no-entry-definitions`, `csar.member-absent`, `meta.*`.
 */
export async function readMetadata(csar: Csar, signal?: AbortSignal, faults = new Faults()): Promise<PackageMetadata> {
  const blocks = await toscaMetaBlocks(csar, signal);
  const entryDefinitions = blocks === undefined ? await definitionsAtRoot(csar, signal) : namedDefinitions(csar, blocks);
  for (const { key, path } of namedEntries(blocks ?? [], 'manifest')) faults.keep(() => requireManifest(csar, key, path));
  const names = csar.members.map(({ name }) => name);
  const manifests = manifestsAmong(names, blocks);
  const artifactBlocks = (blocks ?? []).slice(1).map((block) => ({ file: TOSCA_META, block }));
  for (const file of manifests) {
    const found = await faults.keepLater(async () => parseBlocks(await readText(csar, file, signal), file));
    for (const block of found ?? []) artifactBlocks.push({ file, block });
  }
  const [manifest] = manifests;
  const certificate = certificateOf(csar, blocks, manifest);
  const warnings = [...strayManifests(names, manifests), ...unreadHashes(artifactBlocks)];
  return { entryDefinitions, manifest, certificate, artifactBlocks, warnings };
}

async function toscaMetaBlocks(csar: Csar, signal?: AbortSignal): Promise<Block[] | undefined> {
  return csar.has(TOSCA_META) ? parseBlocks(await readText(csar, TOSCA_META, signal), TOSCA_META) : undefined;
}

/** TOSCA.meta and the manifests, as far as there are any. @throws PackageError `meta.malformed` */
export async function metadataMembers(csar: Csar): Promise<string[]> {
  const blocks = await toscaMetaBlocks(csar);
  const manifests = manifestsAmong(
    csar.members.map(({ name }) => name),
    blocks,
  );
  return [...(blocks === undefined ? [] : [TOSCA_META]), ...manifests];
}

function namedDefinitions(csar: Csar, [first]: readonly Block[]): string {
  const entry = first?.fields.get('entry-definitions') ?? '';
  if (entry !== '') return existing(csar, entry, 'Entry-Definitions');
  throw new PackageError('csar.no-entry-definitions', 'its first block should name the top VNFD as Entry-Definitions', {
    member: TOSCA_META,
  });
}

function requireManifest(csar: Csar, key: string, path: string): void {
  if (!isManifestName(path)) {
    const reason = `${key} should name a file that ends in .mf, names ${JSON.stringify(path)}`;
    throw new PackageError('meta.manifest-name', reason, { member: TOSCA_META });
  }
  existing(csar, path, key);
}

async function definitionsAtRoot(csar: Csar, signal?: AbortSignal): Promise<string> {
  const atRoot = yamlAtRoot(csar.members.map(({ name }) => name));
  const [entryDefinitions, ...others] = atRoot;
  if (entryDefinitions !== undefined && others.length === 0) return entryDefinitions;
  const names = csar.members.map(({ name }) => name);
  const kind = namesKind(names);
  if (kind !== undefined)
    throw new PackageError('package.other-kind', `this is ${kind}; Windlass takes VNF packages by SOL004, with a VNFD by SOL001`);
  await refuseOtherDescriptor(csar, names, signal);
  throw new PackageError(
    'csar.no-entry-definitions',
    `the package has no ${TOSCA_META}, and ${atRoot.length} YAML files at its root where exactly one would do${entryHint(names)}`,
  );
}

/** Where no YAML lies at the root, the only descriptor in JSON or XML there. @throws PackageError `package.other-kind` */
async function refuseOtherDescriptor(csar: Csar, names: readonly string[], signal?: AbortSignal): Promise<void> {
  const [only, ...others] = names.filter((name) => /^[^/]+\.(?:json|xml)$/i.test(name));
  if (only === undefined || others.length > 0) return;
  const text = await memberText(csar, only, csar.limits.yaml.bytes, signal);
  try {
    refuseOtherKind(parsedNode(text, only, csar.limits.yaml));
  } catch (error) {
    if (error instanceof PackageError && error.code === 'package.other-kind') throw error;
  }
}

/** What its author may have meant. */
function entryHint(names: readonly string[]): string {
  const spelled = names.find((name) => name.toLowerCase() === TOSCA_META.toLowerCase());
  if (spelled !== undefined) return `; call ${spelled} ${TOSCA_META}`;
  const nested = names.find((name) => name.endsWith(`/${TOSCA_META}`));
  if (nested !== undefined) return `; ${nested} lies too deep: zip the package's content, not the folder around it`;
  const inner = names.find((name) => /\.(?:zip|csar)$/i.test(name));
  return inner === undefined ? '' : `; if ${inner} in it is the package, upload that`;
}

/** As TOSCA.meta names it, or beside the manifest under its name. */
function certificateOf(csar: Csar, blocks: readonly Block[] | undefined, manifest: string | undefined): string | undefined {
  const named = namedEntries(blocks ?? [], 'certificate').flatMap(({ path }) => resolveInPackage(path) ?? []);
  const beside = manifest === undefined ? [] : [manifest.replace(/mf$/i, 'cert')];
  return [...named, ...beside].find((name) => csar.has(name));
}

/** A hash that nobody compares would look as if somebody had. */
const strayManifests = (names: readonly string[], known: readonly string[]): PackageWarning[] =>
  names
    .filter((name) => isManifestName(name) && !known.includes(name))
    .map((subject) => ({
      code: 'meta.manifest-unread',
      subject,
      reason: `is called as a manifest is, but nothing names it and it lies deep: its hashes were not compared. Name it as ETSI-Entry-Manifest in ${TOSCA_META}, or put it at the root`,
    }));

/** Hexadecimal digits, as many as a hash of MD5 or the SHA family has. */
const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i;

/** What looks like a hash of a file, under a name that none has. */
const unreadHashes = (blocks: PackageMetadata['artifactBlocks']): PackageWarning[] =>
  blocks.flatMap(({ file, block: { fields, lines } }) => {
    if (!fields.has('source') && !fields.has('name')) return [];
    const unread = [...fields].filter(([name, value]) => !hasHash(name) && HASH.test(value));
    return unread.map(([name]) => ({
      code: 'meta.hash-unread',
      subject: file,
      reason: `line ${lines.get(name) ?? 0} gives under ${JSON.stringify(name)} what looks like a hash of ${fields.get('source') || fields.get('name') || ''}: it was not compared. Write it as Hash, below a line Algorithm: SHA-256`,
    }));
  });

/** Whether a field of a block gives a hash of its file. */
export const hasHash = (name: string): boolean => name === 'hash' || isDigestName(name);

function existing(csar: Csar, path: string, field: string): string {
  const name = resolveInPackage(path);
  if (name === undefined) {
    throw new PackageError(
      'meta.malformed',
      `${field} should name a file of the package, from its root, with "/" between folders; ${whyUnresolved(path)}: ${JSON.stringify(path)}`,
      {
        member: TOSCA_META,
      },
    );
  }
  if (!csar.has(name)) {
    const reason = `${TOSCA_META} names it as ${field}, but the package has no such member: add it, or name the one that is meant`;
    throw new PackageError('csar.member-absent', reason, { member: name });
  }
  return name;
}

async function readText(csar: Csar, name: string, signal: AbortSignal | undefined): Promise<string> {
  return memberText(csar, name, csar.limits.metadataBytes, signal);
}

/** Endings of software images: their hashes are the VIM's business at upload (see spec, packages.md 1). */
const IMAGE_ENDING = /\.(raw|vhd|vhdx|vmdk|vdi|iso|ploop|qcow2|aki|ari|ami|img)$/i;

export const isImageFile = (path: string): boolean => IMAGE_ENDING.test(baseName(path));
