import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedCache, tracesOfLab } from '@windlass/lab';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';

const HOME = resolve(import.meta.dirname, '../../..');

/** The output and the end of a command. */
export interface Ended {
  /** Both outputs. */
  text: string;
  status: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Makes a cache with its own notes of running labs, so that no other test's command removes what this test left. Everything else in it
 * is the machine's cache: nothing is fetched or built again.
 */
export async function cacheWithOwnNotes(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'windlass-cache-'));
  const kept = sharedCache();
  await mkdir(kept, { recursive: true });
  await symlink(kept, join(folder, 'lab'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The command line as the leader of a process group, as under a terminal, with its own temporary folder. */
export class RunningCommand {
  #text = '';
  readonly ended: Promise<Ended>;

  private constructor(
    readonly child: ChildProcess,
    /** The temporary folder, which has the demo's folder while the demo runs. */
    readonly temporary: string,
  ) {
    for (const output of [child.stdout, child.stderr]) output?.on('data', (part: Buffer) => (this.#text += part.toString()));
    this.ended = new Promise((resolve_) =>
      child.once('close', (status, signal) => resolve_({ text: this.#text, status, signal })),
    );
  }

  /** @param cache the command's cache: {@link cacheWithOwnNotes} */
  static async start(cache: string, ...args: string[]): Promise<RunningCommand> {
    const temporary = evidence.folder(await mkdtemp(join(await realpath(tmpdir()), 'windlass-interrupted-')));
    const child = spawn(process.execPath, [join(HOME, 'apps/workbench/dist/main.js'), ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: temporary, WINDLASS_CACHE: cache },
    });
    return new RunningCommand(child, temporary);
  }

  /** The output so far, of stdout and stderr. */
  get text(): string {
    return this.#text;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits until the command has printed a text. */
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

  /** Interrupts the process and its group, as timeout(1) does, far enough apart for two signals. */
  async interrupt(): Promise<void> {
    process.kill(this.pid, 'SIGINT');
    await pause(millis(30));
    process.kill(-this.pid, 'SIGINT');
  }

  /** Kills the command, and removes its folder. */
  async remove(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
    await rm(this.temporary, { recursive: true, force: true });
  }
}

/** The links, cgroup and folders that a demo's lab has left. */
export const tracesOf = (dataDir: string): Promise<string[]> => tracesOfLab(join(dataDir, 'lab'));
