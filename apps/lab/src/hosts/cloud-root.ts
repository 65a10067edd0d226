import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { minutes } from '@windlass/foundation';
import type { DebianMirror } from '../debian/apt-sources.js';
import { removeFolder, type Cache } from '../debian/cache.js';
import { APART, run } from '../debian/command.js';
import { fetchInto } from '../debian/real-packages.js';
import { shiftOwners } from '../debian/shift-owners.js';
import { writeTree } from '../debian/write-tree.js';

/** What a cloud image has beyond the base root: cloud-init, and what keeps apt busy by itself. */
const CLOUD_PACKAGES = ['cloud-init', 'unattended-upgrades', 'python3'];

const FILES: Record<string, string> = {
  // The base root turns apt's own work off.
  'etc/apt/apt.conf.d/90windlass-lab': 'Acquire::Languages "none";\n',
  'etc/apt/apt.conf.d/20auto-upgrades': 'APT::Periodic::Update-Package-Lists "1";\nAPT::Periodic::Unattended-Upgrade "1";\n',
};
/** The base root masks them. */
const TIMERS = ['apt-daily.timer', 'apt-daily-upgrade.timer'];

/**
 * The base root with cloud-init and unattended-upgrades, whose timers run: the root of `first-boot` images. Made once, then taken from the cache.
 * The copy's own apt installs into it: debootstrap sets packages up in an order that python3-cryptography does not take.
 */
export function cloudRoot(
  cache: Cache,
  base: string,
  log: (line: string) => void,
  mirrorOf: () => Promise<DebianMirror>,
): Promise<string> {
  const recipe = { format: 1, base: path.basename(base), packages: CLOUD_PACKAGES, files: FILES, timers: TIMERS };
  return cache.entry('cloud-root', recipe, async (building) => {
    log(`cloud-root: fetching ${CLOUD_PACKAGES.join(', ')} and what they depend on; this is done once`);
    const pool = `${building}.packages`;
    await removeFolder(pool);
    await mkdir(pool);
    await fetchInto(pool, path.join(pool, 'apt'), base, CLOUD_PACKAGES, await mirrorOf());
    await run('cp', ['--archive', '--no-target-directory', base, building]);
    const inside = path.join(building, 'root/packages');
    await mkdir(inside);
    const debs = await readdir(pool);
    for (const deb of debs) await rename(path.join(pool, deb), path.join(inside, deb));
    log(`cloud-root: installing ${debs.length} packages`);
    await install(
      building,
      debs.map((deb) => `/root/packages/${deb}`),
    );
    await removeFolder(inside);
    await removeFolder(pool);
    await writeTree(building, FILES);
    await enableTimers(building);
    await shiftOwners(building);
  });
}

const APT_INSTALL = ['apt-get', '-o', 'APT::Sandbox::User=root', '--yes', '--no-install-recommends', 'install'];

async function install(root: string, debs: readonly string[]): Promise<void> {
  // No service of theirs is started here.
  await writeFile(path.join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const env = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C'];
  await run(
    'setpriv',
    [...APART, `--mount-proc=${path.join(root, 'proc')}`, '--', 'chroot', root, ...env, ...APT_INSTALL, ...debs],
    {
      within: minutes(10),
    },
  );
  await rm(path.join(root, 'usr/sbin/policy-rc.d'));
}

async function enableTimers(root: string): Promise<void> {
  const units = path.join(root, 'etc/systemd/system');
  await mkdir(path.join(units, 'timers.target.wants'), { recursive: true });
  for (const timer of TIMERS) {
    await rm(path.join(units, timer));
    await rm(path.join(units, 'timers.target.wants', timer), { force: true });
    await symlink(`/lib/systemd/system/${timer}`, path.join(units, 'timers.target.wants', timer));
  }
}
