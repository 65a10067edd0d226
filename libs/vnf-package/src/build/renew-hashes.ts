import { createHash } from 'node:crypto';
import { TerminalError } from '@windlass/foundation';
import type { DigestAlgorithm } from '../archive/csar.js';
import { resolveInPackage } from '../archive/member-name.js';
import { parseBlocks, type Block } from '../metadata/blocks.js';
import { manifestAtRoot, TOSCA_META } from '../metadata/tosca-meta.js';
import type { PackageTree } from './package-tree.js';

/** A hash that was another one. */
export interface RenewedHash {
  /** Where it stands: `TOSCA-Metadata/TOSCA.meta`. */
  file: string;
  /** From 1. */
  line: number;
  /** Whose hash it is. */
  member: string;
}

/** The metadata of a package whose hashes are those of its files. */
export interface RenewedMetadata {
  /** Texts by member, of the files that changed. */
  texts: ReadonlyMap<string, string>;
  renewed: RenewedHash[];
  /** Manifests that changed and end with a signature, which was of the text before. */
  unsigned: string[];
}

/**
 * Gives every block of TOSCA.meta and of the manifest that has an Algorithm and a line for the Hash the hash of its file as it is.
 * Blocks of files that the package does not have are left as they are, and so is every other line.
 * @throws PackageError `meta.malformed`; TerminalError `package.build-failed` where the two give each other's hash, or their own
 */
export async function renewedMetadata(tree: PackageTree): Promise<RenewedMetadata> {
  const texts = new Map<string, string>();
  const renewed: RenewedHash[] = [];
  const unsigned: string[] = [];
  for (const file of await filesInOrder(tree)) {
    const before = await tree.read(file);
    const lines = before.split(/(\r\n|\r|\n)/);
    for (const block of parseBlocks(before, file)) {
      const hash = await hashOf(tree, block, texts);
      // Every second one of `lines` is a line's end.
      const at = ((block.lines.get('hash') ?? 0) - 1) * 2;
      if (hash === undefined || at < 0 || block.fields.get('hash')?.toLowerCase() === hash.value) continue;
      const [name = ''] = /^[^:]*:[ \t]*/.exec(lines[at] ?? '') ?? [];
      lines[at] = name.endsWith(':') ? `${name} ${hash.value}` : `${name}${hash.value}`;
      renewed.push({ file, line: at / 2 + 1, member: hash.member });
    }
    const text = lines.join('');
    if (text === before) continue;
    texts.set(file, text);
    if (text.includes('-----BEGIN ')) unsigned.push(file);
  }
  return { texts, renewed, unsigned };
}

/** The files that give hashes; one whose own hash another gives comes before that one. */
async function filesInOrder(tree: PackageTree): Promise<string[]> {
  const has = (name: string): boolean => tree.members.some((member) => member.name === name);
  const top = has(TOSCA_META) ? parseBlocks(await tree.read(TOSCA_META), TOSCA_META) : undefined;
  const named =
    top === undefined ? manifestAtRoot(tree.members.map(({ name }) => name)) : top[0]?.fields.get('etsi-entry-manifest');
  const manifest = named === undefined ? undefined : resolveInPackage(named);
  const files = [TOSCA_META, manifest].filter((name): name is string => name !== undefined && has(name));
  const [first, second] = files;
  if (first === undefined) return [];
  for (const file of files) if (await names(tree, file, file)) throw circular(`${file} gives its own hash`);
  if (second === undefined || !(await names(tree, first, second))) return files;
  if (await names(tree, second, first)) throw circular(`${first} and ${second} give each other's hash`);
  return [second, first];
}

const circular = (what: string): TerminalError =>
  new TerminalError('package.build-failed', `${what}, which changes as it is written down: take that block out`);

async function names(tree: PackageTree, file: string, member: string): Promise<boolean> {
  return parseBlocks(await tree.read(file), file).some((block) => block.fields.has('hash') && subjectOf(block) === member);
}

const subjectOf = ({ fields }: Block): string | undefined => resolveInPackage(fields.get('source') || fields.get('name') || '');

async function hashOf(
  tree: PackageTree,
  block: Block,
  texts: ReadonlyMap<string, string>,
): Promise<{ member: string; value: string } | undefined> {
  const member = subjectOf(block);
  const algorithm = /^sha-?(224|256|384|512)$/i.exec(block.fields.get('algorithm') ?? '')?.[1];
  if (member === undefined || algorithm === undefined || !tree.members.some(({ name }) => name === member)) return undefined;
  const digest = `sha${algorithm}` as DigestAlgorithm;
  const text = texts.get(member);
  return { member, value: text === undefined ? await tree.digest(member, digest) : hexDigest(text, digest) };
}

const hexDigest = (text: string, algorithm: DigestAlgorithm): string => createHash(algorithm).update(text).digest('hex');
