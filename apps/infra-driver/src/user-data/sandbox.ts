import { TerminalError, TransientError, Turns, type Duration } from '@windlass/foundation';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { groupOfRun, type RunGroup } from './run-groups.js';
import { FIRST_HANDED, GO, INFO, SANDBOX_PROGRAMS, sandboxCommand, SCRATCH_BYTES, type Program } from './sandbox-arguments.js';
import { seccompFilter } from './system-calls.js';

/** What one run gets. */
export interface SandboxedRun {
  /** Whose turn it takes. */
  project: string;
  program: Program;
  /** Files that it sees, by their absolute paths in there; they come by pipes, and nothing is written on this machine's disk. */
  files: ReadonlyMap<string, Buffer>;
  /** Written to its standard input. */
  input: string;
  within: Duration;
  signal: AbortSignal;
}

/** What came of it. */
export interface SandboxedEnd {
  /** What it wrote to the file descriptor 3. */
  result: string;
  /** The end of what it wrote to its standard output and error. */
  said: string;
  /** Why it was ended, where it did not end by itself. */
  ended?: 'too-late' | 'printed-too-much' | 'returned-too-much' | 'out-of-memory';
  /** What it exited with; null where a signal ended it. */
  exitCode: number | null;
  endedBy: string | null;
}

export const SANDBOX_LIMITS = { resultBytes: 256 * 1024, printedBytes: 1024 * 1024, saidBytes: 4 * 1024 };

/** User ids for sandboxes, from the range that systemd gives to dynamic services, so that no person and no file has one of them. */
const [FIRST_UID, UIDS] = [61_184, 4_000];
/** How many runs there are at once. A machine that has no memory for a second run beside the first has none for a third. */
const AT_ONCE = 2;

const turns = new Turns({ places: AT_ONCE });
let made = 0;

/**
 * Runs an untrusted program: in namespaces of its own (user, processes, network, mounts, IPC, host name), as a user who owns nothing, on a root that
 * holds an interpreter and the given files, all read-only, with no environment, and within limits of time, memory, files, processes and output.
 * Projects are served in turn, so that no project waits for all scripts of another. When this returns, all of the program's processes are dead: they
 * die with the first process of its namespace.
 * @throws TerminalError `user-data.no-sandbox` where the machine lacks what the sandbox needs: nothing is run then
 */
export async function runInSandbox(run: SandboxedRun): Promise<SandboxedEnd> {
  for (const program of SANDBOX_PROGRAMS)
    await access(program, constants.X_OK).catch(() => {
      throw noSandbox(`${program} is not there: install the packages bubblewrap, util-linux and mount`);
    });
  const filter = seccompFilter();
  if (filter === undefined)
    throw noSandbox(`no list of system calls is known for ${process.arch}: run the service on x64 or arm64`);
  return turns.run(run.project, () => inGroup(run, filter), run.signal);
}

/** Bubblewrap has some processes beside those of the script, and all together the scratch folder and what the kernel keeps for them. */
const [BESIDE_TASKS, BESIDE_BYTES] = [4, 2 * SCRATCH_BYTES];

async function inGroup(run: SandboxedRun, filter: Buffer): Promise<SandboxedEnd> {
  const { memory, tasks } = run.program;
  const group = groupOfRun({ memoryBytes: memory.bytes + BESIDE_BYTES, tasks: tasks + BESIDE_TASKS });
  try {
    const end = await ended(start(run, filter), run, group);
    return group?.ranOut() === true ? { ended: 'out-of-memory', ...end } : end;
  } finally {
    await group?.remove();
  }
}

export const noSandbox = (reason: string): TerminalError =>
  new TerminalError(
    'user-data.no-sandbox',
    `a package's script can't be run here: ${reason}; scripts are never run without a sandbox`,
  );

function start({ program, files, within }: SandboxedRun, filter: Buffer): ChildProcess {
  const uid = FIRST_UID + (made++ % UIDS);
  const handed = [filter, ...files.values()];
  const [command, ...words] = sandboxCommand({ program, files: [...files.keys()], within });
  const child = spawn(command, words, {
    // A process of root becomes another user first: the kernel does not limit root's processes, and root of the machine must not be the user behind
    // the sandbox.
    ...(process.getuid?.() === 0 ? { uid, gid: uid } : {}),
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...handed.map(() => 'pipe' as const)],
  });
  for (const [index, bytes] of handed.entries()) {
    const pipe = child.stdio[FIRST_HANDED + index] as Writable | null | undefined;
    pipe?.on('error', ignoreBrokenPipe);
    pipe?.end(bytes);
  }
  return child;
}

/** Ignores a broken pipe: a program that does not read its input ends in some other way, which is reported. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
}

async function ended(
  child: ChildProcess,
  { input, within, signal }: SandboxedRun,
  group: RunGroup | undefined,
): Promise<SandboxedEnd> {
  let why: SandboxedEnd['ended'];
  let ending = false;
  let first: number | undefined;
  let ungrouped: Error | undefined;
  // The death of the namespace's first process kills all processes in it. SIGKILL, because a process can ignore any other signal.
  const killBoth = (): void => {
    if (first !== undefined && child.exitCode === null && child.signalCode === null) killed(first);
    child.kill('SIGKILL');
  };
  // The first process waits until its number is known here, and nothing of the script has run before: otherwise its parent could die without it.
  const end = (reason?: SandboxedEnd['ended']): void => {
    why ??= reason;
    ending = true;
    if (first !== undefined) killBoth();
  };
  whenBegun(child, (pid) => {
    first = pid;
    try {
      for (const each of [pid, child.pid ?? pid]) group?.add(each);
    } catch (error) {
      ungrouped = error as Error;
    }
    if (ending || ungrouped !== undefined) killBoth();
    else (pipeOf(child, GO) as Writable).end('go');
  });
  const onAbort = (): void => end();
  signal.addEventListener('abort', onAbort);
  const timer = setTimeout(() => end('too-late'), within);
  const said = new Tail();
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => said.add(bytes) || end('printed-too-much'));
  const results: Buffer[] = [];
  let resultBytes = 0;
  (child.stdio[3] as Readable).on('data', (bytes: Buffer) => {
    resultBytes += bytes.length;
    if (resultBytes > SANDBOX_LIMITS.resultBytes) end('returned-too-much');
    else results.push(bytes);
  });
  child.stdin?.on('error', ignoreBrokenPipe);
  child.stdin?.end(input);
  try {
    const [exitCode, endedBy] = (await once(child, 'close')) as [number | null, string | null];
    signal.throwIfAborted();
    if (ungrouped !== undefined) throw ungrouped;
    const result = Buffer.concat(results).toString('utf8');
    return { result, said: said.text, exitCode, endedBy, ...(why === undefined ? {} : { ended: why }) };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new TransientError('user-data.not-started', `the sandbox could not be started: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Node's types know of five. */
const pipeOf = ({ stdio }: ChildProcess, at: number) => (stdio as readonly (Readable | Writable | null | undefined)[])[at];

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended by itself
  }
}

/** Tells the first process of the sandbox's namespace, by its number outside. A bubblewrap that fails before ends by itself. */
function whenBegun(child: ChildProcess, begun: (pid: number) => void): void {
  let said = '';
  let isKnown = false;
  (pipeOf(child, INFO) as Readable).on('data', (bytes: Buffer) => {
    said += bytes.toString('utf8');
    const pid = /"child-pid":\s*(\d+)\s*[,}]/.exec(said)?.[1];
    if (pid === undefined || isKnown) return;
    isKnown = true;
    begun(Number(pid));
  });
  (pipeOf(child, GO) as Writable).on('error', ignoreBrokenPipe);
}

/** The end of what was printed. */
class Tail {
  #bytes = Buffer.alloc(0);
  #all = 0;

  /** @returns whether there may be more */
  add(bytes: Buffer): boolean {
    this.#all += bytes.length;
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-SANDBOX_LIMITS.saidBytes);
    return this.#all <= SANDBOX_LIMITS.printedBytes;
  }

  get text(): string {
    return this.#bytes.toString('utf8').trim();
  }
}
