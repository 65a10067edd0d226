import { chmod, copyFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { finish } from '../debian/command.js';
import type { Cache } from '../debian/cache.js';
import { makeFolders } from '../debian/write-tree.js';

/** Where a VM finds the machine's node: what stand-ins name in their first line. */
export const GUEST_NODE = '/opt/windlass-lab/bin/node';

/** Shared libraries that every root has; the dynamic loader and libc must be the root's own. */
const IN_EVERY_ROOT = /^(ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so)/;

/**
 * A folder with the node that runs the lab and the libraries it needs beyond libc (Debian's own package keeps node in one),
 * to be mounted read-only into VMs. A copy, so that an upgrade of node under a running lab changes nothing.
 */
export async function guestNode(cache: Cache, node: string = process.execPath): Promise<string> {
  const { size, mtimeMs } = await stat(node);
  return cache.entry('node', { format: 1, node, size, mtimeMs }, async (folder) => {
    const libraries = await librariesOf(node);
    const binary = libraries.length === 0 ? 'node' : 'node.real';
    await copyFile(node, path.join(folder, binary));
    await chmod(path.join(folder, binary), 0o755);
    if (libraries.length > 0) {
      await makeFolders(folder, 'lib');
      for (const library of libraries) await copyFile(library, path.join(folder, 'lib', path.basename(library)));
      const wrapper = '#!/bin/sh\nLD_LIBRARY_PATH=/opt/windlass-lab/node/lib exec /opt/windlass-lab/node/node.real "$@"\n';
      await writeFile(path.join(folder, 'node'), wrapper, { mode: 0o755 });
    }
  });
}

/** Shared libraries of a program that the roots don't have. A static program has none, and ldd says so by failing. */
async function librariesOf(program: string): Promise<string[]> {
  const { status, stdout } = await finish('ldd', [program]);
  if (status !== 0) return [];
  const paths = [...stdout.matchAll(/=> (\/\S+)/g)].map((match) => match[1] ?? '');
  return paths.filter((file) => !IN_EVERY_ROOT.test(path.basename(file)));
}
