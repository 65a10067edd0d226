import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { millis, seconds, TerminalError, waitUntil, type Duration } from '@windlass/foundation';
import { tellLines } from './output-lines.js';
import { childrenOf, identityOf, isRunning, type ProcessIdentity } from './process-identity.js';
import type { Identity } from './server-user.js';
import { stopWithin, type Exit } from './stop-within.js';

/** Takes one line of a server's own log. */
export type Log = (line: string) => void;

export interface Launch {
  /** For messages: `postgres`. */
  name: string;
  binary: string;
  args: readonly string[];
  /** Where the process works. */
  folder: string;
  user: Identity | undefined;
  /** Sent when the process that started the server dies without stopping it: a supervisor killed with -9 leaves no server behind. */
  whenParentDies: 'INT' | 'TERM';
  log: Log;
  /** Beside what every server gets. */
  environment?: Readonly<Record<string, string>> | undefined;
}

/** How long the last lines of a server that has ended are waited for. */
const LAST_WORDS = millis(100);

const SETPRIV = '/usr/bin/setpriv';

/** Servers get none of our environment: it may hold keys. */
const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** What a library that is preloaded makes, it makes as the user: so the environment is set behind the drop to it. */
const withEnvironment = (environment: Readonly<Record<string, string>>): string[] => {
  const pairs = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? [] : ['/usr/bin/env', ...pairs];
};

/** Command line that drops to the user and asks the kernel for the parent-death signal; without util-linux only the former is done. */
function command({ binary, args, user, whenParentDies, environment: more = {} }: Launch): {
  file: string;
  args: string[];
  drop: Partial<Identity>;
} {
  if (!existsSync(SETPRIV)) return { file: binary, args: [...args], drop: user ?? {} };
  const identity = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return {
    file: SETPRIV,
    args: [...identity, '--no-new-privs', `--pdeathsig=${whenParentDies}`, '--', ...withEnvironment(more), binary, ...args],
    drop: {},
  };
}

/** A server process we started: only this one is ever signalled. It leads its own session, so that Ctrl-C at a terminal does not reach it. */
export class ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. Never rejects. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #lastLines: string[] = [];
  #exit: Exit | undefined;

  private constructor(launch: Launch, child: ChildProcess, pid: number) {
    this.pid = pid;
    this.#name = launch.name;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      tellLines(stream, (line) => {
        this.#lastLines.push(line);
        if (this.#lastLines.length > 20) this.#lastLines.shift();
        launch.log(line);
      });
    }
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const done = () => {
          this.#exit = { code, signal };
          resolve(this.#exit);
        };
        // 'close' comes after the output is read, so that the last lines are there when somebody asks why it ended. It does not come while
        // a process that outlived its killed server holds the output open.
        child.once('close', done);
        setTimeout(done, LAST_WORDS);
      });
    });
  }

  /** @throws TerminalError `embedded.start-failed` when there is no such program or it may not be run */
  static async start(launch: Launch): Promise<ServerProcess> {
    const { file, args, drop } = command(launch);
    const child = spawn(file, args, {
      cwd: launch.folder,
      env: { ...environment, ...(file === SETPRIV ? {} : launch.environment) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...drop,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) =>
        reject(new TerminalError('embedded.start-failed', `${launch.binary} can't be started: ${cause.message}`, { cause })),
      );
    });
    if (child.pid === undefined) throw new TerminalError('embedded.start-failed', `${launch.binary} has no process id`);
    return new ServerProcess(launch, child, child.pid);
  }

  /** How it ended; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Says something to the server by a signal; one that has ended hears nothing. */
  signal(name: NodeJS.Signals): void {
    if (this.#exit === undefined) this.#child.kill(name);
  }

  /** The last lines it logged, for an error message. */
  get lastLines(): string {
    return this.#lastLines.join('\n');
  }

  /**
   * Asks the server to end, and kills it when it has not within the limit.
   * @returns how it ended
   */
  async stop(signal: 'SIGINT' | 'SIGTERM', within: Duration = seconds(20)): Promise<Exit> {
    if (this.#exit !== undefined) return this.#exit;
    const { exited } = this;
    return stopWithin({ exited, ask: () => this.#child.kill(signal), kill: () => void this.kill() }, within);
  }

  /** Ends the server at once, as a power cut would, and returns when it and the processes it had started are gone. */
  async kill(): Promise<Exit> {
    if (this.#exit !== undefined) return this.#exit;
    const children = childrenOf(this.pid);
    this.#child.kill('SIGKILL');
    await orphansGone(this.#name, children);
    return this.exited;
  }
}

/** Waits for the children of a killed server to notice; a second later they are killed too. */
async function orphansGone(name: string, orphans: readonly ProcessIdentity[]): Promise<void> {
  const patience = performance.now() + seconds(1);
  await waitUntil(
    (seen) => {
      const left = orphans.filter(isRunning);
      seen(`${left.length} still running`);
      if (performance.now() > patience) left.forEach((orphan) => signal(orphan, 'SIGKILL'));
      return Promise.resolve(left.length === 0 ? true : undefined);
    },
    { for: `the processes of a killed ${name} to end`, within: seconds(10), every: millis(10) },
  );
}

/** Signals exactly that process; one that ended meanwhile is left alone. */
export function signal(target: ProcessIdentity, name: NodeJS.Signals): void {
  if (identityOf(target.pid)?.startedAt !== target.startedAt) return;
  try {
    process.kill(target.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends a server that an earlier Windlass left behind, politely first, and returns when it is gone. */
export async function endLeftover(name: string, pid: number, polite: NodeJS.Signals): Promise<void> {
  const leftover = identityOf(pid);
  if (leftover === undefined) return;
  const family = [leftover, ...childrenOf(pid)];
  signal(leftover, polite);
  const patience = performance.now() + seconds(10);
  await waitUntil(
    () => {
      if (performance.now() > patience) signal(leftover, 'SIGKILL');
      return Promise.resolve(family.some(isRunning) ? undefined : true);
    },
    { for: `a ${name} left behind (process ${pid}) to end`, within: seconds(20), every: millis(20) },
  );
}
