import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'windlass-driver-';

/** A new folder for one process of an executable. Its name tells whose it is: `windlass-driver-<our process id>-…`. */
export const ownFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));

/**
 * Removes folders that killed services could not remove. Only those of our own user: in another user's folder, a name could be made to lead elsewhere
 * during the removal.
 */
export async function removeLeftFolders(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  const left = names.filter((name) => !isAlive(Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0] ?? Number.NaN)));
  await Promise.all(left.map((name) => removeOurs(join(tmpdir(), name))));
}

async function removeOurs(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // another has removed it
    throw error;
  });
  if (found?.isDirectory() === true && found.uid === process.getuid?.()) await rm(path, { recursive: true, force: true });
}

/** Whether a process of this id runs, of any user. */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return true; // no name of ours
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
