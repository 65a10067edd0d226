import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { InvariantError } from '@windlass/foundation';
import type { ServedRequest } from '@windlass/lab';
import type { CheapTenant } from './cheap-vim.js';
import type { BenchVim } from '../bench-vim.js';

/** What the process of a cheap VIM says: where it is, once; then what it was asked, each time that it is asked for that. */
export type CheapVimSays = { url: string; tenant: CheapTenant } | { requests: ServedRequest[] };

/** Starts a cheap VIM in a process of its own. @param takes milliseconds that a stack takes to come, and to go */
export async function startCheapVim(home: string, takes: number): Promise<BenchVim> {
  const child = fork(join(home, 'apps/workbench/dist/bench/cheap-vim/main.js'), [String(takes)], {
    env: {},
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const said = await heard(child);
    if (!('url' in said)) throw new InvariantError('the cheap VIM did not say where it is');
    return {
      name: 'cheap VIM',
      ...said,
      pid: child.pid ?? 0,
      taken: async () => {
        const answer = await heard(child, 'requests');
        if ('requests' in answer) return answer.requests;
        throw new InvariantError('the cheap VIM did not say what it was asked');
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Its next word.
 * @param asked what it is asked first
 * @throws InvariantError where it ends without one
 */
function heard(child: ChildProcess, asked?: string): Promise<CheapVimSays> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new InvariantError('the process of the cheap VIM has ended'));
    child.once('exit', ended);
    child.once('message', (said) => {
      child.off('exit', ended);
      resolve(said as CheapVimSays);
    });
    // Without a callback what can't be sent would end this process.
    if (asked !== undefined) child.send(asked, (error) => error !== null && ended());
  });
}
