import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TerminalError } from '@windlass/foundation';
import { ZipFile } from 'yazl';
import { ZIP_EPOCH } from '../archive/csar.js';
import { resolveInPackage } from '../archive/member-name.js';
import { TOSCA_META } from '../metadata/tosca-meta.js';

/** What was built. */
export interface BuiltCsar {
  path: string;
  /** Names of its members, in their order. */
  members: string[];
  /** SHA-256 of the zip file, hexadecimal. */
  sha256: string;
}

/** Stands in TOSCA.meta for the hash of the block's file, by the block's algorithm. */
const HASH_PLACEHOLDER = '@HASH@';

/**
 * Makes a CSAR of a folder. The same folder makes the same bytes on any machine: members are sorted and stored, times and modes
 * fixed. Blocks of TOSCA.meta that say `Hash: @HASH@` get the hash of their file. Left out: hidden files and `README.md`.
 * The file appears under its name only when it is whole.
 * @throws TerminalError `package.build-failed` naming what is missing.
 */
export async function buildCsar(folder: string, path: string): Promise<BuiltCsar> {
  const members = await membersOf(folder);
  const zip = new ZipFile();
  for (const name of members) {
    const file = join(folder, name);
    const { mode } = await stat(file);
    const options = {
      mtime: ZIP_EPOCH,
      mode: (mode & 0o111) === 0 ? 0o100_644 : 0o100_755,
      compress: false,
      forceDosTimestamp: true,
    };
    if (name === TOSCA_META) zip.addBuffer(Buffer.from(await filledMetadata(folder)), name, options);
    else zip.addFile(file, name, options);
  }
  const output = Readable.from(zip.outputStream, { objectMode: false });
  zip.on('error', (error: Error) => output.destroy(error));
  zip.end();
  const partial = `${path}.part`;
  const hash = createHash('sha256');
  try {
    await pipeline(
      output,
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
  return { path, members, sha256: hash.digest('hex') };
}

async function membersOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new TerminalError('package.build-failed', `the folder ${folder} can't be read`, { cause: error });
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => name !== 'README.md' && !name.split('/').some((segment) => segment.startsWith('.')))
    .sort();
}

async function filledMetadata(folder: string): Promise<string> {
  const blocks = (await readFile(join(folder, TOSCA_META), 'utf8')).split(/\n{2,}/);
  return (await Promise.all(blocks.map((block) => filledBlock(folder, block)))).join('\n\n');
}

async function filledBlock(folder: string, block: string): Promise<string> {
  if (!block.includes(HASH_PLACEHOLDER)) return block;
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.+?)\\s*$`, 'm').exec(block)?.[1] ?? '';
  const name = resolveInPackage(field('Name') || field('Source'));
  if (name === undefined)
    throw new TerminalError('package.build-failed', `a block of ${TOSCA_META} asks for a hash of no file:\n${block}`);
  const hash = createHash(field('Algorithm').replace('-', '').toLowerCase());
  await pipeline(createReadStream(join(folder, name)), hash);
  return block.replace(HASH_PLACEHOLDER, hash.digest('hex'));
}
