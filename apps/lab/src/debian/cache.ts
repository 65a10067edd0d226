import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { days, describeDuration, millis, type Duration } from '@windlass/foundation';
import { run } from './command.js';
import { FileLock } from './file-lock.js';

/** An entry that no lab has used for this long goes when something new is built. */
const KEPT_UNUSED: Duration = days(14);

/**
 * What labs build once and share: folders named after the digest of what they are made from, so that an entry is either
 * there and right, or not there. Built under another name and renamed, by one lab at a time.
 */
export class Cache {
  private constructor(
    private readonly folder: string,
    private readonly log: (line: string) => void,
  ) {}

  static async open(folder: string, log: (line: string) => void): Promise<Cache> {
    await mkdir(folder, { recursive: true });
    return new Cache(folder, log);
  }

  /**
   * The folder of an entry, built if it is not there yet.
   * @param kind what it is, such as `root`: the first part of its name.
   * @param recipe everything that decides its content.
   * @param build fills the empty folder it is given.
   */
  async entry(kind: string, recipe: unknown, build: (folder: string) => Promise<void>): Promise<string> {
    const entry = path.join(this.folder, `${kind}-${digestOf(recipe)}`);
    if (await touch(entry)) return entry;
    const lock = await this.lock();
    try {
      if (await touch(entry)) return entry;
      await this.prune();
      const building = path.join(this.folder, `building-${kind}-${process.pid}`);
      await mkdir(building);
      await chmod(building, 0o755);
      const started = performance.now();
      await build(building);
      await rename(building, entry);
      this.log(`${kind}: built in ${describeDuration(millis(performance.now() - started))}, kept in ${entry}`);
      return entry;
    } finally {
      await lock.release();
    }
  }

  /** The folder of an entry where it is there; undefined where it would have to be built. */
  async find(kind: string, recipe: unknown): Promise<string | undefined> {
    const entry = path.join(this.folder, `${kind}-${digestOf(recipe)}`);
    return (await touch(entry)) ? entry : undefined;
  }

  private async lock(): Promise<FileLock> {
    const file = path.join(this.folder, 'lock');
    const free = await FileLock.tryTake(file);
    if (free !== undefined) return free;
    this.log(`waiting for another lab that is building in ${this.folder}`);
    return FileLock.waitFor(file);
  }

  /** Removes what a killed build left, and entries of long ago. Only with the lock. */
  private async prune(): Promise<void> {
    const oldest = Date.now() - KEPT_UNUSED;
    for (const name of await readdir(this.folder)) {
      const file = path.join(this.folder, name);
      const { mtimeMs } = await stat(file);
      if (name.startsWith('building-') || (name !== 'lock' && mtimeMs < oldest)) await removeFolder(file);
    }
  }
}

/** Removes a folder with all that is in it, but never what is mounted there. */
export const removeFolder = async (folder: string): Promise<void> => {
  await run('rm', ['--recursive', '--force', '--one-file-system', '--', folder]);
};

export const digestOf = (recipe: unknown): string =>
  createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 12);

/** Marks an entry as used now; false when it is not there. */
async function touch(entry: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(entry, now, now);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
