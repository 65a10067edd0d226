import { createHash } from 'node:crypto';
import type { Block } from './blocks.js';
import { isImageFile, type PackageMetadata } from './tosca-meta.js';
import type { Csar, DigestAlgorithm } from '../archive/csar.js';
import { resolveInPackage, whyUnresolved } from '../archive/member-name.js';
import { maskUrlUser } from '@windlass/foundation';
import { Faults } from '../refusals/faults.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';

/** A checksum as packages and SOL003 write it: `{ algorithm: 'SHA-256', hash: '7f1f...' }`. */
export interface Checksum {
  algorithm: string;
  /** Hexadecimal, as the package has it. */
  hash: string;
}

/** A file of the package whose hash was verified; only these can be fetched by path (SOL003 10.5.3.3). */
export interface AdditionalArtifact {
  /** Member name, or the URL of an artifact that lies elsewhere. */
  artifactPath: string;
  checksum: Checksum;
  metadata: Record<string, never>;
}

/** The way to artifacts that lie outside of the package. Whoever gives one decides what may be reached. */
export interface RemoteArtifacts {
  /** Why an artifact is not fetched from there; undefined where it may be. */
  refusal(url: URL): string | undefined;
  /** Its bytes. Absent: nothing is fetched, and the author is told that its hash was not compared. */
  fetch?(url: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** An artifact that the metadata gives a hash for. */
export interface ClaimedArtifact {
  /** Where the claim stands: `TOSCA-Metadata/TOSCA.meta, line 12`. */
  readonly claimedBy: string;
  readonly member?: string;
  readonly url?: string;
  readonly algorithm: DigestAlgorithm;
  readonly checksum: Checksum;
}

/** Hex digests by member and algorithm. */
type Digests = ReadonlyMap<string, Partial<Record<DigestAlgorithm, string>>>;

/**
 * The claims of all blocks, each checked for being complete and about something that exists. Nothing is read yet.
 * @throws PackageError `meta.incomplete-block`, `meta.unknown-algorithm`, `meta.remote-source`, `csar.member-absent`.
 */
export function claimedArtifacts(csar: Csar, metadata: PackageMetadata): ClaimedArtifact[] {
  const faults = new Faults();
  const claims = metadata.artifactBlocks.flatMap(({ file, block }) => faults.keep(() => claimOf(csar, file, block)) ?? []);
  faults.throwIfAny();
  const seen = new Set<string>();
  return claims.filter((claim) => {
    const key = JSON.stringify([claim.member, claim.url, claim.algorithm, claim.checksum.hash.toLowerCase()]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The claims on software images that the package carries. */
export function imageClaims(csar: Csar, { artifactBlocks }: PackageMetadata): ClaimedArtifact[] {
  return artifactBlocks.flatMap(({ file, block: { fields, line } }): ClaimedArtifact[] => {
    const member = resolveInPackage(fields.get('source') || fields.get('name') || '');
    const [name = '', hash = ''] = [fields.get('algorithm'), fields.get('hash')];
    const algorithm = knownAlgorithm(name);
    if (member === undefined || !isImageFile(member) || !csar.has(member) || algorithm === undefined || hash === '') return [];
    return [{ claimedBy: `${file}, line ${line}`, member, algorithm, checksum: { algorithm: name, hash } }];
  });
}

/** A wrong hash of an image is no refusal, as with `sw_image_data`: the reference system compares none of them. */
export function wrongImages(claims: readonly ClaimedArtifact[], digests: Digests): PackageWarning[] {
  return claims.flatMap(({ claimedBy, member = '', algorithm, checksum }) => {
    const real = digests.get(member)?.[algorithm];
    if (real === checksum.hash.toLowerCase()) return [];
    const reason = `${claimedBy} gives ${checksum.algorithm} ${checksum.hash}, its content has ${real ?? 'none'}: put the image back that is meant, or renew the hash (vnf pack does so)`;
    return [{ code: 'meta.image-hash', subject: member, reason }];
  });
}

function claimOf(csar: Csar, file: string, block: Block): ClaimedArtifact | undefined {
  const { fields } = block;
  if (!fields.has('algorithm') && !fields.has('hash')) return undefined; // a Name and a Content-Type alone claim nothing
  const path = fields.get('source') || fields.get('name') || '';
  const algorithm = fields.get('algorithm') ?? '';
  const hash = fields.get('hash') ?? '';
  const claimedBy = `${file}, line ${block.line}`;
  for (const [name, value] of [
    ['Name or Source', path],
    ['Algorithm', algorithm],
    ['Hash', hash],
  ] as const) {
    if (value === '') {
      throw new PackageError('meta.incomplete-block', `the block at line ${block.line} lacks ${name}`, { member: file });
    }
  }
  if (isImageFile(path)) return undefined;
  const claim = { claimedBy, algorithm: digestAlgorithm(algorithm, path, claimedBy), checksum: { algorithm, hash } };
  if (/^(https?|file):/i.test(path)) return { ...claim, url: checkedUrl(path, claimedBy) };
  const member = resolveInPackage(path);
  if (member === undefined || !csar.has(member)) {
    const [fault, remedy] =
      member === undefined
        ? [whyUnresolved(path), 'write it from the root of the package, with "/" between folders']
        : ['the package has no such member', 'add the file, or remove the block'];
    throw new PackageError('csar.member-absent', `${claimedBy} gives its hash, but ${fault}: ${remedy}`, { member: path });
  }
  return { ...claim, member };
}

function checkedUrl(url: string, claimedBy: string): string {
  if (/^file:/i.test(url)) throw refusedUrl(url, claimedBy, 'a file: URL names a file of the VNFM, not of the package');
  if (!URL.canParse(url)) throw refusedUrl(url, claimedBy, 'is no URL');
  return url;
}

const refusedUrl = (url: string, claimedBy: string, reason: string): PackageError =>
  new PackageError('meta.remote-source', `${claimedBy}: ${reason}`, { member: url });

const NOT_FETCHED = 'artifacts outside of the package are not fetched; put the file into the package';

function knownAlgorithm(name: string): DigestAlgorithm | undefined {
  const bits = /^sha-?(224|256|384|512)$/i.exec(name)?.[1];
  return bits === undefined ? undefined : (`sha${bits}` as DigestAlgorithm);
}

function digestAlgorithm(name: string, path: string, claimedBy: string): DigestAlgorithm {
  const known = knownAlgorithm(name);
  if (known !== undefined) return known;
  throw new PackageError(
    'meta.unknown-algorithm',
    `${claimedBy} gives its hash by ${JSON.stringify(name)}; SHA-224, SHA-256, SHA-384 and SHA-512 are known`,
    { member: path },
  );
}

/**
 * Compares the claims on members with what was digested.
 * @param digests hex digests by member and algorithm.
 * @throws PackageError `meta.hash-mismatch`, naming the member and both hashes
 */
export function verifyMembers(claims: readonly ClaimedArtifact[], digests: Digests): AdditionalArtifact[] {
  const verified = new Map<string, AdditionalArtifact>();
  const faults = new Faults();
  for (const claim of claims) {
    const member = claim.member ?? '';
    faults.keep(() => compare(claim, member, digests.get(member)?.[claim.algorithm]));
    if (!verified.has(member)) verified.set(member, artifactOf(member, claim));
  }
  faults.throwIfAny();
  return [...verified.values()];
}

/**
 * Compares the claims on artifacts that lie elsewhere with what is fetched from there, once all of them may be.
 * @throws PackageError `meta.remote-source`, `meta.hash-mismatch`; and what fetching throws
 */
export async function verifyRemote(
  claims: readonly ClaimedArtifact[],
  remote: RemoteArtifacts | undefined,
  signal?: AbortSignal,
): Promise<{ artifacts: AdditionalArtifact[]; warnings: PackageWarning[] }> {
  for (const { url = '', claimedBy } of claims) {
    const reason = remote === undefined ? NOT_FETCHED : remote.refusal(new URL(url));
    if (reason !== undefined) throw refusedUrl(url, claimedBy, reason);
  }
  const verified = new Map<string, AdditionalArtifact>();
  const warnings: PackageWarning[] = [];
  for (const claim of claims) {
    const { url = '', claimedBy } = claim;
    if (remote?.fetch === undefined) {
      const reason = 'is not fetched here; the VNFM does so, from hosts that its operator allows, and compares the hash';
      warnings.push({ code: 'meta.remote-unseen', subject: claimedBy, reason: `${maskUrlUser(url)} ${reason}` });
      continue;
    }
    compare(claim, url, await digestUrl(claim, url, remote, signal));
    if (!verified.has(url)) verified.set(url, artifactOf(url, claim));
  }
  return { artifacts: [...verified.values()], warnings };
}

const artifactOf = (artifactPath: string, { checksum }: ClaimedArtifact): AdditionalArtifact => ({
  artifactPath,
  checksum,
  metadata: {},
});

function compare({ claimedBy, checksum }: ClaimedArtifact, subject: string, real: string | undefined): void {
  if (real === checksum.hash.toLowerCase()) return;
  throw new PackageError(
    'meta.hash-mismatch',
    `${claimedBy} gives ${checksum.algorithm} ${checksum.hash}, its content has ${real ?? 'none'}: put the file back that is meant, or renew the hash (vnf pack does so)`,
    { member: subject },
  );
}

async function digestUrl(
  { algorithm }: ClaimedArtifact,
  url: string,
  remote: RemoteArtifacts,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const hash = createHash(algorithm);
  for await (const chunk of (await remote.fetch?.(url, signal)) ?? []) hash.update(chunk);
  return hash.digest('hex');
}
