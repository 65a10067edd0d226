import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { openCsar, ZIP_EPOCH } from '../archive/csar.js';
import { csarTree, folderTree, type PackageTree } from './package-tree.js';
import { renewedMetadata, type RenewedMetadata } from './renew-hashes.js';

/** What was built. */
export interface BuiltCsar extends RenewedMetadata {
  path: string;
  /** Names of its members, in their order. */
  members: string[];
  /** SHA-256 of the zip file, hexadecimal. */
  sha256: string;
}

export interface BuildOptions {
  /** Hashes that are not those of their files stay as they are. */
  asItLies?: boolean;
}

const AS_IT_LIES: RenewedMetadata = { texts: new Map(), renewed: [], unsigned: [] };

/**
 * Makes a CSAR of a folder. The same folder makes the same bytes on any machine: members are sorted and stored, times and modes
 * fixed. Hashes in TOSCA.meta and the manifest become those of their files; the folder stays as it is. Left out: hidden files and
 * `README.md`. The zip appears under its name only when it is whole.
 * @throws TerminalError `package.build-failed` naming what is missing; PackageError `meta.malformed`
 */
export async function buildCsar(folder: string, path: string, options: BuildOptions = {}): Promise<BuiltCsar> {
  return build(await folderTree(folder), path, options);
}

/** The same of what is in a zip. @throws as {@link buildCsar}, and PackageError `csar.*` for what is no package */
export async function rebuildCsar(zip: string, path: string, options: BuildOptions = {}): Promise<BuiltCsar> {
  const csar = await openCsar(zip);
  try {
    return await build(csarTree(csar), path, options);
  } finally {
    await csar.close();
  }
}

async function build(tree: PackageTree, path: string, { asItLies = false }: BuildOptions): Promise<BuiltCsar> {
  const metadata = asItLies ? AS_IT_LIES : await renewedMetadata(tree);
  const partial = `${path}.part`;
  const hash = createHash('sha256');
  try {
    await pipeline(
      zipped(tree, metadata.texts),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(partial),
    );
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return { ...metadata, path, members: tree.members.map(({ name }) => name), sha256: hash.digest('hex') };
}

function zipped(tree: PackageTree, texts: ReadonlyMap<string, string>): Readable {
  const zip = new ZipFile();
  for (const { name, size, executable } of tree.members) {
    const mode = executable ? 0o100_755 : 0o100_644;
    const options = { mtime: ZIP_EPOCH, mode, compress: false, forceDosTimestamp: true };
    const text = texts.get(name);
    if (text !== undefined) zip.addBuffer(Buffer.from(text), name, options);
    else zip.addReadStreamLazy(name, { ...options, size }, (give) => give(undefined, tree.open(name)));
  }
  const output = Readable.from(zip.outputStream, { objectMode: false });
  zip.on('error', (error: Error) => output.destroy(error));
  zip.end();
  return output;
}
