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
 * Has a signal that ends this process end what it started first: a runner that is merely orphaned goes on, and so do its servers.
 * @param from who hears of signals
 * @param pid whose children are ended
 * @param exit is called with the status that a shell tells of the signal
 */
export function endChildrenOnSignals(
  from: EventEmitter = process,
  pid = process.pid,
  exit: (status: number) => void = (status) => process.exit(status),
): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    from.once(name, () => {
      const ended = Promise.all(childrenOf(pid).map((child) => endTree(child.pid)));
      void ended.finally(() => exit(128 + constants.signals[name]));
    });
}

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
