import type { Csar } from '../archive/csar.js';
import { resolveInPackage } from '../archive/member-name.js';
import type { Block } from '../metadata/blocks.js';
import type { PackageMetadata } from '../metadata/tosca-meta.js';
import type { ClaimedArtifact } from '../metadata/verify-artifacts.js';

/** What a signed manifest says of the package's files. */
export interface Coverage {
  /** Its hashes, those of software images among them. */
  claims: ClaimedArtifact[];
  /** Files that it gives no hash for: whoever has the package can have put them there. */
  uncovered: string[];
}

/**
 * Holds the files of a package against the hashes of its manifest. Every file counts, TOSCA.meta too: scripts may be anywhere, and drivers are given
 * all of them. Left out are the manifest itself, the certificate, and what the manifest names as signatures and certificates of single files.
 */
export function coverage(csar: Csar, { manifest, certificate, artifactBlocks }: PackageMetadata): Coverage {
  const blocks = artifactBlocks.filter(({ file }) => file === manifest).map(({ block }) => block);
  const claims = blocks.flatMap((block) => claimOf(csar, block, manifest ?? '') ?? []);
  const aside = [
    manifest,
    certificate,
    ...blocks.flatMap(({ fields }) => [pathIn(fields, 'signature'), pathIn(fields, 'certificate')]),
  ];
  const known = new Set([...aside, ...claims.map(({ member }) => member)]);
  return { claims, uncovered: csar.members.map(({ name }) => name).filter((name) => !known.has(name)) };
}

const pathIn = (fields: Block['fields'], name: string): string | undefined => resolveInPackage(fields.get(name) ?? '');

/** SHA-224 covers nothing: it is less than what a signature may be made with. */
function claimOf(csar: Csar, { fields, line }: Block, file: string): ClaimedArtifact | undefined {
  const member = resolveInPackage(fields.get('source') || fields.get('name') || '');
  const [algorithm = '', hash = ''] = [fields.get('algorithm'), fields.get('hash')];
  const bits = /^sha-?(256|384|512)$/i.exec(algorithm)?.[1] as '256' | '384' | '512' | undefined;
  if (member === undefined || !csar.has(member) || bits === undefined || hash === '') return undefined;
  return { claimedBy: `${file}, line ${line}`, member, algorithm: `sha${bits}`, checksum: { algorithm, hash } };
}
