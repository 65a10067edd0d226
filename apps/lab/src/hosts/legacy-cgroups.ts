import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeTree } from './cgroups.js';
import { GUEST_ROOT_ID } from '../debian/guest-ids.js';
import { legacyHierarchies, type LegacyHierarchy } from './cgroup-layout.js';

/** The hierarchies of version 1 that are mounted on this machine. */
export const mountedHierarchies = async (): Promise<LegacyHierarchy[]> =>
  legacyHierarchies({
    mounts: await readFile('/proc/self/mounts', 'utf8'),
    controllers: await readFile('/proc/cgroups', 'utf8').catch(() => ''),
  });

/**
 * The folders of a VM in the hierarchies of version 1, made anew. Its root may divide them further and move processes, no more: the limits
 * stay the machine's.
 * @param name path of the VM's folder below each hierarchy
 * @returns the folders that its first process enters
 */
export async function makeLegacyCgroups(
  hierarchies: readonly LegacyHierarchy[],
  name: string,
  memoryMiB: number | undefined,
): Promise<string[]> {
  const folders: string[] = [];
  for (const { mountedAt, controllers } of hierarchies) {
    const folder = path.join(mountedAt, name);
    await makeWithProcessors(mountedAt, name, controllers);
    if (controllers.includes('memory') && memoryMiB !== undefined)
      await writeFile(path.join(folder, 'memory.limit_in_bytes'), `${memoryMiB}M`);
    for (const file of ['', 'cgroup.procs', 'tasks']) await chown(path.join(folder, file), GUEST_ROOT_ID, GUEST_ROOT_ID);
    folders.push(folder);
  }
  return folders;
}

/** No process can enter a folder of cpuset before it has processors and memory nodes, and its parents before it. */
async function makeWithProcessors(mountedAt: string, name: string, controllers: readonly string[]): Promise<void> {
  const parts = name.split('/');
  for (const at of parts.keys()) {
    const folder = path.join(mountedAt, ...parts.slice(0, at + 1));
    await mkdir(folder, { recursive: true });
    if (!controllers.includes('cpuset')) continue;
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      await writeFile(path.join(folder, file), await readFile(path.join(path.dirname(folder), file), 'utf8'));
    // What the VM makes below begins with the same.
    await writeFile(path.join(folder, 'cgroup.clone_children'), '1');
  }
}

/** Removes the folders of a VM, or of a whole lab, in which nothing runs any more; those that are not there are no error. */
export async function removeLegacyCgroups(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const there = await readdir(folder).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (there !== undefined) await removeTree(folder);
  }
}
