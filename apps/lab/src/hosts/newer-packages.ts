import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { TerminalError } from '@windlass/foundation';
import type { DebianMirror } from './apt-sources.js';
import { SUITE } from './base-root.js';
import { removeFolder, type Cache } from './cache.js';
import { finish, run } from './command.js';
import { indexEntry, type IndexEntry } from './deb.js';
import { downloadDebs } from './download-debs.js';

/**
 * Debian's later packages of the `newer` image, by the release that has them: each runs on the root's libc. etcd and kubectl are not taken
 * from sid: its etcd-server is set up by a systemd newer than the root's, its kubectl is two minor versions ahead of the lab's API.
 */
export const NEWER_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  sid: ['containerd', 'containernetworking-plugins'],
  trixie: ['kubectl', 'etcd-server', 'etcd-client'],
};
/** Of these only the programs are taken: their names or places are those of others here. */
const UNPACKED = ['containernetworking-plugins', 'kubectl'];

export interface NewerPackages {
  /** Folder with the .deb files that VMs install as they are. */
  pool: string;
  index: IndexEntry[];
  kubectl: string;
  /** Folder of the CNI plugins, and their names. */
  plugins: string;
  pluginNames: string[];
}

/**
 * Fetched from the machine's own mirror once.
 * @throws TerminalError `lab.newer` naming what the mirror has not, or what needs a later libc than the root's.
 */
export async function newerPackages(
  cache: Cache,
  base: string,
  log: (line: string) => void,
  mirrorOf: () => Promise<DebianMirror>,
): Promise<NewerPackages> {
  const recipe = { format: 1, base: path.basename(base), packages: NEWER_PACKAGES, unpacked: UNPACKED };
  const folder = await cache.entry('newer', recipe, async (building) => {
    const mirror = await mirrorOf();
    const pool = path.join(building, 'pool');
    await mkdir(pool);
    for (const [suite, names] of Object.entries(NEWER_PACKAGES)) {
      log(`newer: fetching ${names.join(', ')} of Debian ${suite}`);
      await download(pool, path.join(building, 'apt'), suite, names, mirror);
    }
    const libc = (
      await run('dpkg-query', [`--admindir=${path.join(base, 'var/lib/dpkg')}`, '--show', '--showformat=${Version}', 'libc6'])
    ).trim();
    for (const file of await readdir(pool)) await refuseLaterLibc(path.join(pool, file), libc);
    for (const name of UNPACKED) {
      const file = (await readdir(pool)).find((each) => each.startsWith(`${name}_`)) ?? '';
      await run('dpkg-deb', ['--extract', path.join(pool, file), path.join(building, name)]);
      await removeFolder(path.join(pool, file));
    }
  });
  const pool = path.join(folder, 'pool');
  const plugins = path.join(folder, 'containernetworking-plugins/usr/lib/cni');
  const index: IndexEntry[] = [];
  for (const file of (await readdir(pool)).sort()) index.push(await indexEntry(path.join(pool, file)));
  return {
    pool,
    index,
    kubectl: path.join(folder, 'kubectl/usr/bin/kubectl'),
    plugins,
    pluginNames: (await readdir(plugins)).sort(),
  };
}

async function download(
  pool: string,
  workspace: string,
  suite: string,
  names: readonly string[],
  mirror: DebianMirror,
): Promise<void> {
  try {
    await downloadDebs(pool, workspace, suite, names, mirror);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TerminalError(
      'lab.newer',
      `the newer image needs ${names.join(', ')} of Debian ${suite}, and ${mirror.uri} did not give them: ${reason}; boot another image, or name a mirror that has ${suite}`,
      { cause },
    );
  }
}

/** @throws TerminalError `lab.newer` where a package needs a libc that the root has not. */
async function refuseLaterLibc(deb: string, libc: string): Promise<void> {
  const depends = await run('dpkg-deb', ['--field', deb, 'Depends']);
  for (const [, needed = ''] of depends.matchAll(/\blibc6 \(>= ([^)]+)\)/g)) {
    if ((await finish('dpkg', ['--compare-versions', libc, 'ge', needed])).status === 0) continue;
    throw new TerminalError(
      'lab.newer',
      `the newer image can't have ${path.basename(deb)}: it needs libc6 ${needed}, and ${SUITE}'s is ${libc}`,
    );
  }
}
