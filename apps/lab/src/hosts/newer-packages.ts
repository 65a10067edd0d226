import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { TerminalError } from '@windlass/foundation';
import type { DebianMirror } from '../debian/apt-sources.js';
import { SUITE } from '../debian/base-root.js';
import { removeFolder, type Cache } from '../debian/cache.js';
import { finish, run } from '../debian/command.js';
import { indexEntry, type IndexEntry } from '../debian/deb.js';
import { downloadDebs } from '../debian/download-debs.js';

/** A package of the `newer` image: what it must be, and the releases that may have it, the first that fits. */
export interface NewerPackage {
  name: string;
  from: readonly string[];
  /** The major version that has the feature for which it is taken. Which release of it, its release says. */
  major?: { version: number; for: string };
}

/**
 * Debian's later packages of the `newer` image: each runs on the root's libc. What can be is taken from trixie, which is stable: sid and forky
 * move, and no Debian 12 is asked there. etcd and kubectl of sid would not do: its etcd-server is set up by a systemd newer than the root's, its
 * kubectl is two minor versions ahead of the lab's API. No backports have a containerd 2.
 */
export const NEWER_PACKAGES: readonly NewerPackage[] = [
  { name: 'containerd', from: ['sid', 'forky'], major: { version: 2, for: 'a configuration of format 3' } },
  { name: 'containernetworking-plugins', from: ['trixie'] },
  { name: 'kubectl', from: ['trixie'] },
  { name: 'etcd-server', from: ['trixie'] },
  { name: 'etcd-client', from: ['trixie'] },
];
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
 * @throws TerminalError `lab.newer` naming the package that no release has as it must be, what each has instead, and what to do.
 */
export async function newerPackages(
  cache: Cache,
  base: string,
  log: (line: string) => void,
  mirrorOf: () => Promise<DebianMirror>,
): Promise<NewerPackages> {
  const recipe = { format: 2, base: path.basename(base), packages: NEWER_PACKAGES, unpacked: UNPACKED };
  const folder = await cache.entry('newer', recipe, async (building) => {
    const mirror = await mirrorOf();
    const pool = path.join(building, 'pool');
    await mkdir(pool);
    const installed = await versionsIn(base);
    const apt = path.join(building, 'apt');
    for (const wanted of NEWER_PACKAGES) await firstThatFits(wanted, { pool, apt, mirror, installed, log });
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

interface Looking {
  pool: string;
  /** Lists and cache of the apt that fetches. */
  apt: string;
  mirror: DebianMirror;
  /** Versions of the root's packages. */
  installed: ReadonlyMap<string, string>;
  log: (line: string) => void;
}

/** Puts it into the pool, from the first release whose package fits. @throws TerminalError `lab.newer` */
async function firstThatFits(wanted: NewerPackage, { pool, apt, mirror, installed, log }: Looking): Promise<void> {
  const why: string[] = [];
  for (const release of wanted.from) {
    const got = path.join(apt, 'found');
    await mkdir(got, { recursive: true });
    try {
      log(`newer: fetching ${wanted.name} of Debian ${release}`);
      await downloadDebs(got, path.join(apt, release), release, [wanted.name], mirror);
      const [file = ''] = await readdir(got);
      const fault = await faultOf(path.join(got, file), wanted, installed);
      if (fault === undefined) {
        await rename(path.join(got, file), path.join(pool, file));
        return;
      }
      why.push(`${release} has ${file}, which ${fault}`);
    } catch (error) {
      why.push(`${mirror.uri} did not give that of ${release}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await removeFolder(apt);
    }
  }
  throw new TerminalError(
    'lab.newer',
    `the newer image needs ${wanted.name} of Debian ${wanted.from.join(' or ')}, and has none: ${why.join('; ')}. Boot another image, name a mirror that has the release, or choose another release in NEWER_PACKAGES (apps/lab/src/hosts/newer-packages.ts)`,
  );
}

/** Why a package can't be that of the newer image; undefined where it can. */
export async function faultOf(
  deb: string,
  { major }: NewerPackage,
  installed: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const version = (await run('dpkg-deb', ['--field', deb, 'Version'])).trim();
  const is = Number(/^(?:\d+:)?(\d+)/.exec(version)?.[1]);
  if (major !== undefined && is !== major.version)
    return `is not of version ${major.version}, for which it is taken (${major.for})`;
  const depends = await run('dpkg-deb', ['--field', deb, 'Depends']);
  for (const clause of depends.split(',')) {
    // One of several is left to apt.
    const [, name = '', needed = ''] = /^\s*([a-z0-9][a-z0-9+.-]+)(?::\w+)? \(>= ([^)]+)\)\s*$/.exec(clause) ?? [];
    const has = installed.get(name);
    if (has === undefined || (await finish('dpkg', ['--compare-versions', has, 'ge', needed])).status === 0) continue;
    return `needs ${name} ${needed}, and ${SUITE}'s is ${has}`;
  }
  return undefined;
}

async function versionsIn(base: string): Promise<ReadonlyMap<string, string>> {
  const format = '--showformat=${Package} ${Version}\\n';
  const lines = await run('dpkg-query', [`--admindir=${path.join(base, 'var/lib/dpkg')}`, '--show', format]);
  return new Map(lines.split('\n').map((line) => line.split(' ') as [string, string]));
}
