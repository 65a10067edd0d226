import { access, mkdtemp, readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { seconds, TerminalError } from '@windlass/foundation';
import { cgroup2Root } from './cgroups.js';
import { finish, lastLines } from '../debian/command.js';
import { GUEST_ID_COUNT, GUEST_ROOT_ID } from '../debian/guest-ids.js';

/**
 * Makes sure that this machine can carry VMs made of namespaces, and returns where its cgroup2 lies.
 * @throws TerminalError `lab.machine` with one sentence that says what is missing and what to do.
 */
export async function requireCapableMachine(): Promise<string> {
  if (process.platform !== 'linux')
    throw refusal(`the lab's VMs are made of Linux namespaces and this is ${process.platform}; run it on Debian 12`);
  if (process.getuid?.() !== 0)
    throw refusal('the lab makes namespaces, mounts and a bridge and so needs root; run it again with sudo');
  await requireIds();
  const cgroups = await requireCgroup2();
  await requireNamespaces();
  return cgroups;
}

async function requireIds(): Promise<void> {
  const last = GUEST_ROOT_ID + GUEST_ID_COUNT - 1;
  const ranges = (await readFile('/proc/self/uid_map', 'utf8')).trim().split('\n');
  const covered = ranges.some((range) => {
    const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number);
    return first <= GUEST_ROOT_ID && last < first + count;
  });
  if (!covered) {
    throw refusal(
      `the lab's VMs use the ids ${GUEST_ROOT_ID}-${last}, which this container does not have; run the lab on the machine itself or map them`,
    );
  }
}

async function requireCgroup2(): Promise<string> {
  const root = await cgroup2Root();
  if (root === undefined) {
    throw refusal(
      'no writable cgroup2 is mounted here; run: mount -t cgroup2 cgroup2 /sys/fs/cgroup, or start the container with its cgroup writable',
    );
  }
  let probe: string;
  try {
    probe = await mkdtemp(path.join(root, 'windlass-probe-'));
  } catch (error) {
    throw refusal(`no cgroup can be made under ${root} (${String(error)}); run the lab where root may make cgroups`);
  }
  try {
    await access(path.join(probe, 'cgroup.kill'));
  } catch {
    throw refusal("this kernel's cgroup2 has no cgroup.kill (Linux 5.14 brought it); run the lab on Debian 12 or newer");
  } finally {
    await rmdir(probe);
  }
  return root;
}

async function requireNamespaces(): Promise<void> {
  const kinds = ['--user', '--mount', '--net', '--pid', '--uts', '--ipc', '--cgroup', '--fork'];
  const probe = await finish('unshare', [...kinds, '--', 'true'], { within: seconds(10) });
  if (probe.status !== 0) {
    throw refusal(
      `this machine refuses new namespaces (${lastLines(probe.stderr)}); check that user.max_user_namespaces is not 0 (sysctl) and that no container runtime forbids unshare`,
    );
  }
}

const refusal = (sentence: string): TerminalError => new TerminalError('lab.machine', sentence);
