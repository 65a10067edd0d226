import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describeDuration, minutes, TerminalError, type Duration } from '@windlass/foundation';
import { inheritedEnvironment } from './config.js';

export interface RunOptions {
  /** Given to the program on its standard input; without it that is empty. */
  input?: string | Buffer;
  /** Further variables of the environment. */
  env?: Record<string, string>;
  cwd?: string;
  /** The program is ended after this time; two minutes by default. */
  within?: Duration;
  /** Called with each line the program prints, while it runs. */
  onLine?: (line: string) => void;
  /** How to end a program that is late, where ending the one process that was started is not enough. */
  end?: () => void;
}

export interface Finished {
  /** Exit status; undefined when a signal ended the program. */
  status: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program of the machine to its end, whatever that is.
 * @throws TerminalError `lab.command-failed` when the program is not there or was not done in time.
 */
export function finish(file: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const within = options.within ?? minutes(2);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: 'pipe',
      // Out of the terminal's reach: a Ctrl-C is for us, and what we run to clean up after it must not die of it.
      detached: true,
      env: inheritedEnvironment(options.env),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      options.end?.();
      child.kill('SIGKILL');
      // What the program started may hold its outputs open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, within);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    if (options.onLine !== undefined) createInterface({ input: child.stdout }).on('line', options.onLine);
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(new TerminalError('lab.command-failed', `${file} can't be run: ${cause.message}`, { cause }));
    });
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      if (late)
        reject(new TerminalError('lab.command-failed', `${nameOf(file, args)} was not done in ${describeDuration(within)}`));
      else {
        resolve({
          status: status ?? undefined,
          signal: signal ?? undefined,
          stdout: Buffer.concat(stdout).toString('utf8'),
          stderr: Buffer.concat(stderr).toString('utf8'),
        });
      }
    });
    // A program that ends without reading its input breaks the pipe; its exit status tells the story.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
  });
}

/**
 * Runs a program of the machine and returns what it printed.
 * @throws TerminalError `lab.command-failed` with the last lines of its errors when it fails or is not done in time.
 */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { status, signal, stdout, stderr } = await finish(file, args, options);
  if (status === 0) return stdout;
  const end = status === undefined ? `was ended by ${signal ?? 'a signal'}` : `ended with status ${status}`;
  throw new TerminalError('lab.command-failed', `${nameOf(file, args)} ${end}: ${lastLines(stderr === '' ? stdout : stderr)}`);
}

/** The end of a text, as much as helps in a message. */
export const lastLines = (text: string): string => text.trim().split('\n').slice(-4).join(' | ').slice(-600);

const nameOf = (file: string, args: readonly string[]): string => [file, ...args].join(' ').replaceAll('\n', ' ').slice(0, 160);

/**
 * What `setpriv` is given before the options that follow and the program: it runs in namespaces of its own and ends with us, so that a killed
 * build leaves no /proc mounted in its folder and nothing that still writes there.
 */
export const APART = [
  '--pdeathsig',
  'KILL',
  '--',
  'unshare',
  '--mount',
  '--propagation',
  'private',
  '--pid',
  '--fork',
  '--kill-child',
];
