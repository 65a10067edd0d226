import path from 'node:path';
import { access } from 'node:fs/promises';
import { removeFolder } from '../debian/cache.js';
import { cgroup2Root, removeCgroup } from './cgroups.js';
import { FileLock } from '../debian/file-lock.js';
import { mountedHierarchies, removeLegacyCgroups } from './legacy-cgroups.js';
import { labIdentity, type LabIdentity } from './lab-identity.js';
import { linksOf, unplug } from './network.js';
import { detachAll } from './volumes.js';

/** What of a lab lies where on this machine. */
export interface LabPlace {
  identity: LabIdentity;
  /** `hosts` below the lab's data folder, without links. */
  dataDir: string;
  /** Where cgroup2 is mounted. */
  cgroups: string;
  /** The lab's cgroup. */
  cgroup: string;
}

/**
 * @param dataDir of the lab, without links
 * @param cgroups where cgroup2 is mounted
 */
export function placeOf(dataDir: string, cgroups: string): LabPlace {
  const hosts = path.join(dataDir, 'hosts');
  const identity = labIdentity(hosts);
  return { identity, dataDir: hosts, cgroups, cgroup: path.join(cgroups, identity.cgroup) };
}

/**
 * Removes what a lab left that was killed. The folder itself may be gone.
 * @param dataDir of the lab, without links
 * @returns what was found, in words; undefined when a lab uses the folder
 */
export async function reclaimLab(dataDir: string): Promise<string[] | undefined> {
  const cgroups = await cgroup2Root();
  if (cgroups === undefined) return [];
  const place = placeOf(dataDir, cgroups);
  if (!(await exists(place.dataDir))) return sweep(place);
  const lock = await FileLock.tryTake(path.join(place.dataDir, 'lock'));
  if (lock === undefined) return undefined;
  try {
    return await sweep(place);
  } finally {
    await lock.release();
  }
}

/**
 * What there is of a lab on this machine, in words: a lab that has stopped, or was reclaimed, has none.
 * @param dataDir of the lab, without links
 */
export async function tracesOfLab(dataDir: string): Promise<string[]> {
  const place = placeOf(dataDir, (await cgroup2Root()) ?? '');
  const folders = ['machines', 'volumes'].map((name) => path.join(place.dataDir, name));
  const there = await Promise.all(folders.map(exists));
  return [
    ...((await exists(place.cgroup)) ? [`the processes and cgroup ${path.basename(place.cgroup)}`] : []),
    ...(await legacyFoldersOf(place)).map((folder) => `the cgroup ${folder}`),
    ...(await linksOf(place.identity)).map((link) => `the link ${link}`),
    ...folders.filter((_folder, at) => there[at]).map((folder) => `the folder ${folder}`),
  ];
}

/**
 * Removes everything of a lab from this machine: processes with their mounts, links, loop devices, disks. What belongs to it
 * is known by names and marks that come from the data folder, so nothing need have been written down.
 * @returns what was found, in words; empty when there was nothing.
 */
export async function sweep(place: LabPlace): Promise<string[]> {
  const { identity, dataDir, cgroup } = place;
  const found = await tracesOfLab(path.dirname(dataDir));
  await removeCgroup(cgroup);
  await removeLegacyCgroups(await legacyFoldersOf(place));
  for (const link of await linksOf(identity)) await unplug(link);
  await detachAll(path.join(dataDir, 'volumes'));
  for (const name of ['machines', 'volumes']) await removeFolder(path.join(dataDir, name));
  return found;
}

/** The lab's folders in hierarchies of cgroup version 1, which VMs have in which containers run. */
async function legacyFoldersOf({ identity }: LabPlace): Promise<string[]> {
  const hierarchies = await mountedHierarchies();
  const folders = hierarchies.map(({ mountedAt }) => path.join(mountedAt, identity.cgroup));
  const there = await Promise.all(folders.map(exists));
  return folders.filter((_folder, at) => there[at]);
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
