import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A small file system of its own, which a test can fill. Needs root. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  static async of(mebibytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), 'windlass-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'windlass-test', path]);
    return new SmallDisk(path);
  }

  /** Fills the file system. */
  async fill(): Promise<void> {
    const ballast = await open(this.#ballast, 'w');
    const chunk = Buffer.alloc(64 * 1024);
    try {
      for (;;) {
        const { bavail, bsize } = await statfs(this.path);
        if (bavail === 0) return;
        await ballast.write(chunk.subarray(0, Math.min(chunk.length, bavail * bsize)));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await ballast.close();
    }
  }

  /** Frees the room that {@link fill} took. */
  async free(): Promise<void> {
    await rm(this.#ballast);
  }

  async close(): Promise<void> {
    await run('umount', [this.path]);
    await rm(this.path, { recursive: true });
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }
}
