import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TerminalError } from '@windlass/foundation';
import type { Csar, DigestAlgorithm } from '../archive/csar.js';
import { isDesktopFile } from '../archive/member-name.js';
import { memberText, textOf } from '../archive/member-text.js';

/** The files that a package is made of, wherever they lie. */
export interface PackageTree {
  /** In the order of their names. */
  readonly members: readonly { readonly name: string; readonly size: number; readonly executable: boolean }[];
  open(name: string): Readable;
  read(name: string): Promise<string>;
  digest(name: string, algorithm: DigestAlgorithm): Promise<string>;
}

/** @throws TerminalError `package.build-failed` for a folder that can't be read */
export async function folderTree(folder: string): Promise<PackageTree> {
  const names = await namesIn(folder);
  const members = await Promise.all(
    names.map(async (name) => {
      const { mode, size } = await stat(join(folder, name));
      return { name, size, executable: (mode & 0o111) !== 0 };
    }),
  );
  return {
    members,
    open: (name) => createReadStream(join(folder, name)),
    read: async (name) => textOf(await readFile(join(folder, name)), name),
    async digest(name, algorithm) {
      const hash = createHash(algorithm);
      await pipeline(createReadStream(join(folder, name)), hash);
      return hash.digest('hex');
    },
  };
}

/** Hidden files and `README.md` are the author's, not the package's. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new TerminalError('package.build-failed', `the folder ${folder} can't be read`, { cause: error });
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => name !== 'README.md' && !isDesktopFile(name) && !name.split('/').some((segment) => segment.startsWith('.')))
    .sort();
}

/** All of a zip. */
export function csarTree(csar: Csar): PackageTree {
  const members = csar.members.map(({ name, size, mode }) => ({ name, size, executable: (mode & 0o111) !== 0 }));
  return {
    members: members.sort((one, other) => (one.name < other.name ? -1 : 1)),
    open: (name) => csar.openMember(name),
    read: (name) => memberText(csar, name, csar.limits.metadataBytes),
    digest: async (name, algorithm) => (await csar.digestMember(name, [algorithm]))[algorithm],
  };
}
