import { constants } from 'node:fs';
import { access, rm, writeFile } from 'node:fs/promises';
import { minutes, TerminalError, untilAptIsFree } from '@windlass/foundation';
import { run } from '../debian/command.js';

/** A Debian package that the lab or a test needs on the machine, and the program in it that proves it is there. */
export interface HostPackage {
  name: string;
  program: string;
  /** What it is for, for the newcomer. */
  why: string;
}

const HOST_PACKAGES: readonly HostPackage[] = [
  { name: 'debootstrap', program: 'debootstrap', why: "makes the VMs' root file system from Debian's packages" },
  { name: 'iproute2', program: 'ip', why: "makes the lab's bridge and the VMs' network links" },
  { name: 'gpg', program: 'gpg', why: "signs the lab's own package repository" },
  { name: 'gpg-agent', program: 'gpg-agent', why: 'holds the signing key for the second it lives' },
  { name: 'openssl', program: 'openssl', why: "makes the certificate of the lab's image registries" },
  { name: 'systemd', program: 'journalctl', why: "reads a VM's journal for its console log" },
  { name: 'util-linux', program: 'nsenter', why: "starts and enters the VMs' namespaces" },
  { name: 'mount', program: 'losetup', why: "puts files behind the VMs' volumes" },
];

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Those of the Debian packages, by default the lab's, that this machine does not have. */
export async function missingHostPackages(wanted: readonly HostPackage[] = HOST_PACKAGES): Promise<HostPackage[]> {
  const present = await Promise.all(wanted.map(({ program }) => isInstalled(program)));
  return wanted.filter((_, at) => present[at] !== true);
}

/**
 * Installs what {@link missingHostPackages} names, and says so first. No service of theirs is started: Debian would have some listen on every interface.
 * @throws TerminalError `lab.host-packages` when not root or when apt fails, with what apt said.
 */
export async function installHostPackages(log: (line: string) => void, wanted?: readonly HostPackage[]): Promise<void> {
  const missing = await missingHostPackages(wanted);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) throw missingError(missing);
  for (const { name, why } of missing) log(`installing the Debian package ${name}: it ${why}`);
  const args = ['install', '--yes', '--no-install-recommends', ...missing.map(({ name }) => name)];
  await withoutStartingServices(() => aptInstall(args, log));
}

async function aptInstall(install: readonly string[], log: (line: string) => void): Promise<void> {
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }, within: minutes(15) };
  const aptGet = (args: readonly string[]) => untilAptIsFree(() => run('apt-get', args, options), { log });
  try {
    await aptGet(install);
  } catch {
    // A fresh machine has no package lists yet, or lists older than its mirror; what else is wrong is said by the second try.
    await aptGet(['update']);
    await aptGet(install).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TerminalError('lab.host-packages', `apt-get could not install what is needed: ${reason}`, { cause });
    });
  }
}

/** What Debian's maintainer scripts ask before they start a service; 101 forbids it. A machine that has its own keeps it. */
const POLICY = '/usr/sbin/policy-rc.d';

async function withoutStartingServices(work: () => Promise<void>): Promise<void> {
  try {
    await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return work();
  }
  try {
    await work();
  } finally {
    await rm(POLICY, { force: true });
  }
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
    `Debian packages are needed that are not installed here; as root run: apt-get install -y ${names}`,
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
