import { chmod, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describeDuration, millis, minutes, seconds } from '@windlass/foundation';
import { aptProxyEnvironment, debianMirror, type DebianMirror } from './apt-sources.js';
import { removeFolder, type Cache } from './cache.js';
import { APART, run } from './command.js';
import { shiftOwners } from './shift-owners.js';
import { makeFolders, writeTree } from './write-tree.js';

/** The Debian release that every root is made of. */
export const SUITE = 'bookworm';

/** What a cloud image has beyond the minimum, as far as node scripts and drivers use it. */
const PACKAGES = [
  'openssh-server',
  'sudo',
  'systemd-sysv',
  'dbus',
  'kmod',
  'procps',
  'iproute2',
  'iputils-ping',
  'curl',
  'gpg',
  'ca-certificates',
  'apt-transport-https',
  'lsb-release',
  'openssl',
  'netbase',
  'fuse2fs',
];

/** Units that only fail or only disturb in a namespace: kernel file systems, and timers that would take apt's lock in the middle of a test. */
const MASKED_UNITS = [
  'sys-kernel-debug.mount',
  'sys-kernel-tracing.mount',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
];

const FILES: Record<string, string> = {
  'etc/apt/sources.list': '',
  'etc/apt/apt.conf.d/90windlass-lab': 'Acquire::Languages "none";\nAPT::Periodic::Enable "0";\n',
  // A VM's disk lives for minutes, so dpkg need not wait for it; nobody reads manuals here.
  'etc/dpkg/dpkg.cfg.d/90windlass-lab':
    'force-unsafe-io\npath-exclude=/usr/share/man/*\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/locale/*\n',
  // ping is not set-user-id and its file capability belongs to the machine's root; the range ends with the VM's ids.
  'etc/sysctl.d/90-windlass-lab.conf': 'net.ipv4.ping_group_range = 0 65535\n',
  // Kept on disk, so that the console log of a VM that died can still be read.
  'etc/systemd/journald.conf.d/windlass-lab.conf': '[Journal]\nStorage=persistent\nSystemMaxUse=64M\n',
  // A keyring for each unit: all VMs' root is one user to the kernel, and a user has 200 keys.
  'usr/lib/systemd/system/service.d/90-windlass-lab.conf': '[Service]\nKeyringMode=inherit\n',
  'usr/lib/systemd/system/mount.d/90-windlass-lab.conf': '[Mount]\nKeyringMode=inherit\n',
  'usr/lib/systemd/system/socket.d/90-windlass-lab.conf': '[Socket]\nKeyringMode=inherit\n',
  'etc/default/locale': 'LANG=C.UTF-8\n',
  'etc/resolv.conf': '',
  'etc/machine-id': '',
};

/**
 * mount(8) calls it for ext4. The kernel mounts ext4 for the machine's root only, so a VM reads and writes it through FUSE:
 * slower and without a journal, but real ext4 on the volume. Of the options only `ro` means something to it.
 */
const MOUNT_EXT4 = `#!/bin/sh
device=$1 folder=$2 mode=rw
shift 2
case " $* " in *" ro "* | *" ro,"* | *",ro "* | *",ro,"*) mode=ro ;; esac
exec fuse2fs "$device" "$folder" -o "$mode,allow_other,nonempty,fsname=$device,subtype=ext4"
`;
const PROGRAMS: Record<string, string> = { 'usr/sbin/mount.ext4': MOUNT_EXT4 };

const RECIPE = { format: 1, suite: SUITE, packages: PACKAGES, masked: MASKED_UNITS, files: FILES, programs: PROGRAMS };

/** The root file system under every VM's disk, owners shifted into the VMs' ids. Built by debootstrap once, then taken from the cache. */
export async function baseRoot(
  cache: Cache,
  log: (line: string) => void,
  mirrorOf: () => Promise<DebianMirror> = () => debianMirror(SUITE),
): Promise<string> {
  const architecture = (await run('dpkg', ['--print-architecture'])).trim();
  return cache.entry('root', { ...RECIPE, architecture }, async (folder) => {
    const mirror = await mirrorOf();
    log(`root: making the VMs' root file system with debootstrap from ${mirror.uri}; this is done once and takes about a minute`);
    await debootstrap(folder, mirror, log);
    await arrange(folder);
    await shiftOwners(folder);
  });
}

async function debootstrap(folder: string, mirror: DebianMirror, log: (line: string) => void): Promise<void> {
  const started = performance.now();
  let spoken = started;
  const trust = mirror.trusted ? ['--no-check-gpg'] : [`--keyring=${mirror.keyring}`];
  const args = ['--variant=minbase', `--include=${PACKAGES.join(',')}`, ...trust, SUITE, folder, mirror.uri];
  await run('setpriv', [...APART, '--', 'debootstrap', ...args], {
    env: await aptProxyEnvironment(),
    within: minutes(30),
    onLine: (line) => {
      const now = performance.now();
      if (!line.startsWith('I: ') || now - spoken < seconds(5)) return;
      spoken = now;
      log(`root: ${describeDuration(millis(now - started))}: ${line.slice(3)}`);
    },
  });
}

async function arrange(root: string): Promise<void> {
  const inside = (file: string) => path.join(root, file);
  const baked = (await readdir(inside('etc/ssh'))).filter((name) => name.startsWith('ssh_host_'));
  // A host key in the image would be every VM's.
  for (const file of [...baked.map((name) => `etc/ssh/${name}`), 'etc/hostname']) await removeFolder(inside(file));
  for (const folder of ['var/cache/apt/archives', 'var/lib/apt/lists']) {
    await removeFolder(inside(folder));
    await makeFolders(root, `${folder}/partial`);
  }
  // debootstrap gives it an ACL with ids of the machine, which a VM could not read.
  await removeFolder(inside('var/log/journal'));
  await writeTree(root, { ...FILES, ...PROGRAMS });
  for (const program of Object.keys(PROGRAMS)) await chmod(inside(program), 0o755);
  for (const unit of MASKED_UNITS) await symlink('/dev/null', inside(`etc/systemd/system/${unit}`));
  for (const folder of ['opt/windlass-lab/node', 'opt/windlass-lab/bin', 'var/log/journal']) await makeFolders(root, folder);
  await symlink('../node/node', inside('opt/windlass-lab/bin/node'));
}
