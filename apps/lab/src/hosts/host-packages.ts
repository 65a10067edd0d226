import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { minutes, TerminalError } from '@windlass/foundation';
import { finish, lastLines, run } from './command.js';

/** A Debian package that the lab needs on the machine, and the program in it that proves it is there. */
export interface HostPackage {
  name: string;
  program: string;
  /** What the lab does with it, for the newcomer. */
  why: string;
}

const HOST_PACKAGES: readonly HostPackage[] = [
  { name: 'debootstrap', program: 'debootstrap', why: "makes the VMs' root file system from Debian's packages" },
  { name: 'iproute2', program: 'ip', why: "makes the lab's bridge and the VMs' network links" },
  { name: 'gpg', program: 'gpg', why: "signs the lab's own package repository" },
  { name: 'gpg-agent', program: 'gpg-agent', why: 'holds the signing key for the second it lives' },
  { name: 'systemd', program: 'journalctl', why: "reads a VM's journal for its console log" },
  { name: 'util-linux', program: 'nsenter', why: "starts and enters the VMs' namespaces" },
  { name: 'mount', program: 'losetup', why: "puts files behind the VMs' volumes" },
];

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Debian packages that the lab needs and this machine does not have. */
export async function missingHostPackages(): Promise<HostPackage[]> {
  const present = await Promise.all(HOST_PACKAGES.map(({ program }) => isInstalled(program)));
  return HOST_PACKAGES.filter((_, at) => present[at] !== true);
}

/**
 * Installs what {@link missingHostPackages} names, and says so first.
 * @throws TerminalError `lab.host-packages` when not root or when apt fails, with what apt said.
 */
export async function installHostPackages(log: (line: string) => void): Promise<void> {
  const missing = await missingHostPackages();
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) throw missingError(missing);
  for (const { name, why } of missing) log(`installing the Debian package ${name}: it ${why}`);
  const args = [
    '-o',
    'DPkg::Lock::Timeout=300',
    'install',
    '--yes',
    '--no-install-recommends',
    ...missing.map(({ name }) => name),
  ];
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, within: minutes(15) };
  if ((await finish('apt-get', args, options)).status === 0) return;
  // A fresh machine has no package lists yet, or lists older than its mirror.
  await run('apt-get', ['update'], options);
  const second = await finish('apt-get', args, options);
  if (second.status !== 0)
    throw new TerminalError('lab.host-packages', `apt-get could not install what the lab needs: ${lastLines(second.stderr)}`);
}

/** @throws TerminalError `lab.host-packages` naming what is missing and the command that installs it. */
export async function requireHostPackages(): Promise<void> {
  const missing = await missingHostPackages();
  if (missing.length > 0) throw missingError(missing);
}

function missingError(missing: readonly HostPackage[]): TerminalError {
  const names = missing.map(({ name }) => name).join(' ');
  return new TerminalError(
    'lab.host-packages',
    `the lab needs Debian packages that are not installed here; as root run: apt-get install -y ${names}`,
  );
}

async function isInstalled(program: string): Promise<boolean> {
  for (const folder of FOLDERS) {
    try {
      await access(`${folder}/${program}`, constants.X_OK);
      return true;
    } catch {
      continue;
    }
  }
  return false;
}
