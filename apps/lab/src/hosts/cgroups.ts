import { writeFileSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { GUEST_ROOT_ID } from '../debian/guest-ids.js';

/** Controllers worth handing to a VM's systemd where the machine's cgroup2 has them. */
const WANTED_CONTROLLERS = ['cpu', 'cpuset', 'io', 'memory', 'pids'];

/**
 * Where this machine has cgroup2: `/sys/fs/cgroup`, or `/sys/fs/cgroup/unified` beside version 1. Undefined when it has none
 * that may be written.
 */
export async function cgroup2Root(): Promise<string | undefined> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  for (const line of lines) {
    const [, where, type, options] = line.split(' ');
    if (type === 'cgroup2' && where !== undefined && options?.split(',').includes('rw') === true) return where;
  }
  return undefined;
}

/** Makes a cgroup without processes of its own and hands the wanted controllers down to its children. */
export async function makeCgroup(cgroup: string): Promise<void> {
  await mkdir(cgroup, { recursive: true });
  const offered = (await readFile(path.join(cgroup, 'cgroup.controllers'), 'utf8')).trim().split(' ');
  const handed = WANTED_CONTROLLERS.filter((controller) => offered.includes(controller));
  if (handed.length > 0) await writeFile(path.join(cgroup, 'cgroup.subtree_control'), handed.map((name) => `+${name}`).join(' '));
}

/** Makes a cgroup that the VM's own root may divide further. */
export async function makeDelegatedCgroup(cgroup: string): Promise<void> {
  await mkdir(cgroup);
  for (const file of ['', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads']) {
    await chown(path.join(cgroup, file), GUEST_ROOT_ID, GUEST_ROOT_ID);
  }
}

/** Ends every process below a cgroup, frozen ones too, waits until they are gone, and removes it. None there: nothing happens. */
export async function removeCgroup(cgroup: string): Promise<void> {
  if (!(await exists(cgroup))) return;
  await writeFile(path.join(cgroup, 'cgroup.kill'), '1');
  await waitUntil(
    async (seen) => {
      const events = await readFile(path.join(cgroup, 'cgroup.events'), 'utf8');
      seen(events.replaceAll('\n', ' '));
      return events.includes('populated 0') ? true : undefined;
    },
    { for: `the processes in ${cgroup} to end`, within: seconds(20), every: millis(5), growth: 1.5, atMost: millis(100) },
  );
  await removeTree(cgroup);
}

/** Removes a cgroup that nothing runs in; one that is in use or gone stays as it is. */
export async function removeIfEmpty(cgroup: string): Promise<void> {
  try {
    await rmdir(cgroup);
  } catch (error) {
    if (!hasCode(error, 'EBUSY') && !hasCode(error, 'ENOENT')) throw error;
  }
}

/** Tells the kernel to end every process below a cgroup; for a place that can't wait for it. */
export const killCgroup = (cgroup: string): void => writeFileSync(path.join(cgroup, 'cgroup.kill'), '1');

/** Stops or goes on with every process below a cgroup; resolves when the kernel says it is so. */
export async function freezeCgroup(cgroup: string, frozen: boolean): Promise<void> {
  const wanted = frozen ? '1' : '0';
  await writeFile(path.join(cgroup, 'cgroup.freeze'), wanted);
  await waitUntil(
    async () => ((await readFile(path.join(cgroup, 'cgroup.events'), 'utf8')).includes(`frozen ${wanted}`) ? true : undefined),
    {
      for: `${cgroup} to be ${frozen ? 'frozen' : 'thawed'}`,
      within: seconds(30),
      every: millis(2),
      growth: 2,
      atMost: millis(100),
    },
  );
}

/** Ids of the processes in a cgroup and below it. */
export async function processesIn(cgroup: string): Promise<number[]> {
  const own = (await readFile(path.join(cgroup, 'cgroup.procs'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
  const below = await Promise.all((await childrenOf(cgroup)).map(processesIn));
  return [...own, ...below.flat()];
}

/** Removes a folder of cgroups in which nothing runs any more. */
export async function removeTree(cgroup: string): Promise<void> {
  for (const child of await childrenOf(cgroup)) await removeTree(child);
  await waitUntil(
    async (seen) => {
      try {
        await rmdir(cgroup);
        return true;
      } catch (error) {
        if (!hasCode(error, 'EBUSY')) throw error;
        seen('EBUSY');
        return undefined;
      }
    },
    { for: `the empty cgroup ${cgroup} to be removable`, within: seconds(20), every: millis(5), growth: 2, atMost: millis(100) },
  );
}

async function childrenOf(cgroup: string): Promise<string[]> {
  const entries = await readdir(cgroup, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(cgroup, entry.name));
}

async function exists(cgroup: string): Promise<boolean> {
  try {
    await readdir(cgroup);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
