import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedCache, tracesOfLab } from '@windlass/lab';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';

const HOME = resolve(import.meta.dirname, '../../..');

/** What a command printed, and how it ended. */
export interface Ended {
  /** Both outputs. */
  text: string;
  status: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * A cache whose notes of labs that run are its own, so that no command of a test beside this one removes what this test's left, and all else is
 * the cache that there is: nothing is fetched or built again.
 */
export async function cacheWithOwnNotes(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'windlass-cache-'));
  const kept = sharedCache();
  await mkdir(kept, { recursive: true });
  await symlink(kept, join(folder, 'lab'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The command line as a process that leads a group of its own, as under a terminal, with a temporary folder of its own. */
export class RunningCommand {
  #text = '';
  readonly ended: Promise<Ended>;

  private constructor(
    readonly child: ChildProcess,
    /** Holds the demo's folder while there is one. */
    readonly temporary: string,
  ) {
    for (const output of [child.stdout, child.stderr]) output?.on('data', (part: Buffer) => (this.#text += part.toString()));
    this.ended = new Promise((resolve_) =>
      child.once('close', (status, signal) => resolve_({ text: this.#text, status, signal })),
    );
  }

  /** @param cache of the command: {@link cacheWithOwnNotes} */
  static async start(cache: string, ...args: string[]): Promise<RunningCommand> {
    const temporary = evidence.folder(await mkdtemp(join(await realpath(tmpdir()), 'windlass-interrupted-')));
    const child = spawn(process.execPath, [join(HOME, 'apps/workbench/dist/main.js'), ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: temporary, WINDLASS_CACHE: cache },
    });
    return new RunningCommand(child, temporary);
  }

  /** What it has printed so far, on both outputs. */
  get text(): string {
    return this.#text;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits until it has printed this. */
  async printed(text: string): Promise<void> {
    await waitUntil(
      (seen) => {
        seen(this.#text.slice(-500));
        return Promise.resolve(this.#text.includes(text) ? true : undefined);
      },
      { for: `the command to print "${text}"`, within: seconds(90), every: millis(20) },
    );
  }

  /** The data folder of the demo; undefined while there is none. */
  async dataDir(): Promise<string | undefined> {
    const name = (await readdir(this.temporary)).find((one) => one.startsWith('windlass-demo-'));
    return name === undefined ? undefined : join(this.temporary, name);
  }

  /** To the process and to its group, as timeout(1) does; far enough apart that they are two signals. */
  async interrupt(): Promise<void> {
    process.kill(this.pid, 'SIGINT');
    await pause(millis(30));
    process.kill(-this.pid, 'SIGINT');
  }

  /** Ends it whatever it does. */
  async remove(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
    await rm(this.temporary, { recursive: true, force: true });
  }
}

/** Links, cgroup and folders of the lab of a demo. */
export const tracesOf = (dataDir: string): Promise<string[]> => tracesOfLab(join(dataDir, 'lab'));
