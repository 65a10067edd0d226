import path from 'node:path';
import { access } from 'node:fs/promises';
import { removeFolder } from './cache.js';
import { removeCgroup } from './cgroups.js';
import type { LabIdentity } from './lab-identity.js';
import { linksOf, unplug } from './network.js';
import { detachAll } from './volumes.js';

/** What of a lab lies where on this machine. */
export interface LabPlace {
  identity: LabIdentity;
  /** `hosts` below the lab's data folder, without links. */
  dataDir: string;
  /** The lab's cgroup. */
  cgroup: string;
}

/**
 * Removes everything of a lab from this machine: processes with their mounts, links, loop devices, disks. What belongs to it
 * is known by names and marks that come from the data folder, so nothing need have been written down.
 * @returns what was found, in words; empty when there was nothing.
 */
export async function sweep({ identity, dataDir, cgroup }: LabPlace): Promise<string[]> {
  const found: string[] = [];
  if (await exists(cgroup)) found.push(`the processes and cgroup ${path.basename(cgroup)}`);
  await removeCgroup(cgroup);
  for (const link of await linksOf(identity)) {
    found.push(`the link ${link}`);
    await unplug(link);
  }
  await detachAll(path.join(dataDir, 'volumes'));
  for (const name of ['machines', 'volumes']) {
    const folder = path.join(dataDir, name);
    if (await exists(folder)) found.push(`the folder ${folder}`);
    await removeFolder(folder);
  }
  return found;
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
