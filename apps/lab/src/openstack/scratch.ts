import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'windlass-openstack-';

/** A folder for the images of an emulator that keeps nothing. What emulators left that were killed is swept first. */
export async function scratchFolder(parent: string = tmpdir()): Promise<string> {
  const left = (await readdir(parent)).filter((name) => name.startsWith(PREFIX) && !isAlive(ownerOf(name)));
  await Promise.all(left.map((name) => rm(join(parent, name), { recursive: true, force: true })));
  return mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
}

const ownerOf = (name: string): number => Number(/^(\d+)-/.exec(name.slice(PREFIX.length))?.[1] ?? 0);

/** Whether a process of that id runs; one of another user counts too, and a name that tells no id. */
function isAlive(pid: number): boolean {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
