import { type Block, parseBlocks } from './blocks.js';
import type { Csar } from '../archive/csar.js';
import { baseName, resolveInPackage } from '../archive/member-name.js';
import { PackageError } from '../package-error.js';

export const TOSCA_META = 'TOSCA-Metadata/TOSCA.meta';

/** What a package says about itself, before any VNFD is read. */
export interface PackageMetadata {
  /** Member that holds the top VNFD. */
  readonly entryDefinitions: string;
  /** Member that holds the manifest. */
  readonly manifest: string | undefined;
  /** Member that holds the certificate of who signed the manifest, where the signature has none. */
  readonly certificate: string | undefined;
  /** Blocks that describe artifacts, with the file they stand in. */
  readonly artifactBlocks: readonly { readonly file: string; readonly block: Block }[];
}

/**
 * Reads TOSCA.meta and the manifest. A package without a TOSCA-Metadata folder is accepted when exactly one YAML file lies at its
 * root (SOL004 4.1, option 2); its manifest then shares that file's base name.
 * @throws PackageError `csar.no-entry-definitions`, `csar.member-absent`, `meta.*`.
 */
export async function readMetadata(csar: Csar, signal?: AbortSignal): Promise<PackageMetadata> {
  return csar.has(TOSCA_META) ? readToscaMeta(csar, signal) : readRootDefinitions(csar, signal);
}

async function readToscaMeta(csar: Csar, signal: AbortSignal | undefined): Promise<PackageMetadata> {
  const [first, ...rest] = parseBlocks(await readText(csar, TOSCA_META, signal), TOSCA_META);
  const entry = first?.fields.get('entry-definitions') ?? '';
  if (first === undefined || entry === '') {
    throw new PackageError('csar.no-entry-definitions', 'its first block should name the top VNFD as Entry-Definitions', {
      member: TOSCA_META,
    });
  }
  const entryDefinitions = existing(csar, entry, 'Entry-Definitions');
  const manifestName = first.fields.get('etsi-entry-manifest');
  if (manifestName !== undefined && !manifestName.endsWith('.mf')) {
    throw new PackageError(
      'meta.manifest-name',
      `ETSI-Entry-Manifest should name a file that ends in .mf, names ${JSON.stringify(manifestName)}`,
      {
        member: TOSCA_META,
      },
    );
  }
  const manifest = manifestName === undefined ? undefined : existing(csar, manifestName, 'ETSI-Entry-Manifest');
  const certificateName = resolveInPackage(first.fields.get('etsi-entry-certificate') ?? '');
  const certificate = certificateName !== undefined && csar.has(certificateName) ? certificateName : undefined;
  const ownBlocks = rest.map((block) => ({ file: TOSCA_META, block }));
  const artifactBlocks = [...ownBlocks, ...(await manifestBlocks(csar, manifest, signal))];
  return { entryDefinitions, manifest, certificate, artifactBlocks };
}

async function readRootDefinitions(csar: Csar, signal: AbortSignal | undefined): Promise<PackageMetadata> {
  const atRoot = yamlAtRoot(csar.members.map(({ name }) => name));
  const [entryDefinitions, ...others] = atRoot;
  if (entryDefinitions === undefined || others.length > 0) {
    const nested = csar.members.find(({ name }) => name.endsWith(`/${TOSCA_META}`))?.name;
    const hint = nested === undefined ? '' : `; ${nested} lies too deep: zip the package's content, not the folder around it`;
    throw new PackageError(
      'csar.no-entry-definitions',
      `the package has no ${TOSCA_META}, and ${atRoot.length} YAML files at its root where exactly one would do${hint}`,
    );
  }
  const manifest = manifestOf(entryDefinitions);
  const present = csar.has(manifest) ? manifest : undefined;
  const beside = manifest.replace(/mf$/, 'cert');
  const certificate = csar.has(beside) ? beside : undefined;
  return { entryDefinitions, manifest: present, certificate, artifactBlocks: await manifestBlocks(csar, present, signal) };
}

const yamlAtRoot = (names: readonly string[]): string[] => names.filter((name) => /^[^/]+\.ya?ml$/i.test(name));

const manifestOf = (definitions: string): string => `${definitions.replace(/\.ya?ml$/i, '')}.mf`;

/** What the manifest of a package without TOSCA-Metadata is called, among these members. */
export function manifestAtRoot(names: readonly string[]): string | undefined {
  const [definitions, ...others] = yamlAtRoot(names);
  return definitions === undefined || others.length > 0 ? undefined : manifestOf(definitions);
}

async function manifestBlocks(csar: Csar, manifest: string | undefined, signal: AbortSignal | undefined) {
  if (manifest === undefined) return [];
  return parseBlocks(await readText(csar, manifest, signal), manifest).map((block) => ({ file: manifest, block }));
}

function existing(csar: Csar, path: string, field: string): string {
  const name = resolveInPackage(path);
  if (name === undefined) {
    throw new PackageError(
      'meta.malformed',
      `${field} leads out of the package: ${JSON.stringify(path)}; name a file of the package, from its root`,
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
  return (await csar.readMember(name, csar.limits.metadataBytes, signal)).toString('utf8');
}

/** Endings of software images: their hashes are the VIM's business at upload (see spec, packages.md 1). */
const IMAGE_ENDING = /\.(raw|vhd|vhdx|vmdk|vdi|iso|ploop|qcow2|aki|ari|ami|img)$/i;

export const isImageFile = (path: string): boolean => IMAGE_ENDING.test(baseName(path));
