import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, identityOf, isRunning, type ProcessIdentity } from '@windlass/embedded';

/** Milliseconds that processes have to end by themselves. */
const GRACE = 5_000;

/**
 * Ends a process and all that it started, also what stands in a group or session of its own, as servers of tests do: asked first, killed after
 * `grace` milliseconds. What was started by a process that has ended already is not found.
 */
export async function endTree(pid: number, grace = GRACE): Promise<void> {
  const all = treeOf(pid);
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    for (const one of all) signal(one, name);
    for (let waited = 0; waited < grace && all.some(isRunning); waited += 100) await pause(100);
  }
}

/**
 * Has a signal end what this process started: a runner that is merely orphaned goes on, and so do its servers. The process itself goes on, so that it can
 * take away what stands beside its children; a second signal of the same name ends it at once.
 * @param from who hears of signals
 * @param pid whose children are ended
 * @returns is aborted by the first signal, with the signal's name as its reason; nothing new is to be started then
 */
export function endedBySignals(from: EventEmitter = process, pid = process.pid): AbortSignal {
  const ended = new AbortController();
  for (const name of ENDING)
    from.once(name, () => {
      ended.abort(name);
      for (const child of childrenOf(pid)) void endTree(child.pid);
    });
  return ended.signal;
}

/** The status that a shell tells of a program that a signal ended. */
export const statusOf = ({ reason }: AbortSignal): number => 128 + constants.signals[reason as (typeof ENDING)[number]];

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A process and its descendants, children before their parents. */
function treeOf(pid: number): ProcessIdentity[] {
  const root = identityOf(pid);
  return root === undefined ? [] : [...childrenOf(pid).flatMap((child) => treeOf(child.pid)), root];
}

function signal(one: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL'): void {
  if (!isRunning(one)) return;
  try {
    process.kill(one.pid, name);
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
