import { createHash } from 'node:crypto';
import { TerminalError } from '@windlass/foundation';
import type { DigestAlgorithm } from '../archive/csar.js';
import { resolveInPackage } from '../archive/member-name.js';
import { parseBlocks, type Block } from '../metadata/blocks.js';
import { manifestsAmong, TOSCA_META } from '../metadata/manifests.js';
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
 * Gives every block of TOSCA.meta and of the manifests that has an Algorithm and a line for the Hash the hash of its file as it is.
 * Blocks of files that the package does not have are left as they are, and so is every other line.
 * @throws PackageError `meta.malformed`; TerminalError `package.build-failed` where they give each other's hash, or their own
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
  const members = tree.members.map(({ name }) => name);
  const top = members.includes(TOSCA_META) ? parseBlocks(await tree.read(TOSCA_META), TOSCA_META) : undefined;
  const files = [...(top === undefined ? [] : [TOSCA_META]), ...manifestsAmong(members, top)];
  const named = new Map<string, string[]>();
  for (const file of files) {
    const blocks = parseBlocks(await tree.read(file), file).filter(({ fields }) => fields.has('hash'));
    named.set(
      file,
      files.filter((other) => blocks.some((block) => subjectOf(block) === other)),
    );
  }
  const ordered = new Set<string>();
  const visit = (file: string, above: readonly string[]): void => {
    if (above.at(-1) === file) throw circular(`${file} gives its own hash`);
    if (above.includes(file)) throw circular(`${[...above.slice(above.indexOf(file))].join(' and ')} give each other's hash`);
    if (ordered.has(file)) return;
    for (const other of named.get(file) ?? []) visit(other, [...above, file]);
    ordered.add(file);
  };
  for (const file of files) visit(file, []);
  return [...ordered];
}

const circular = (what: string): TerminalError =>
  new TerminalError('package.build-failed', `${what}, which changes as it is written down: take that block out`);

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
