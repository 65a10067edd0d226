import { spawn } from 'node:child_process';
import { TerminalError } from '@windlass/foundation';
import type { Identity } from './server-user.js';

export interface Run {
  file: string;
  args: readonly string[];
  folder?: string;
  user?: Identity | undefined;
}

/** What a program printed; its status is 0. */
export interface RunResult {
  out: string;
  err: string;
}

/**
 * Runs a program to its end, without a shell and without our environment.
 * @throws TerminalError `embedded.command-failed` with the status and the last lines it printed
 */
export function runOnce({ file, args, folder = '/', user }: Run): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LC_ALL: 'C',
      DEBIAN_FRONTEND: 'noninteractive',
    };
    const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
    const printed = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text));
    child.once('error', (cause) =>
      reject(new TerminalError('embedded.command-failed', `${file} can't be run: ${cause.message}`, { cause })),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else reject(new TerminalError('embedded.command-failed', failure(file, code ?? signal, printed)));
    });
  });
}

function failure(file: string, status: number | string | null, { out, err }: RunResult): string {
  const lastLines = `${out}\n${err}`.trim().split('\n').slice(-8).join('\n');
  return `${file} ended with ${status ?? 'no status'}: ${lastLines}`;
}
