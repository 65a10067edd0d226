import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, identityOf, isRunning, type ProcessIdentity } from '@windlass/embedded';

/** Milliseconds that processes have to end by themselves. */
const GRACE = 5_000;

/**
 * Ends a process and all that it started, also what stands in a group or session of its own, as servers of tests do: asked first, killed after five
 * seconds. What was started by a process that has ended already is not found.
 */
export async function endTree(pid: number): Promise<void> {
  const all = treeOf(pid);
  for (const one of all) signal(one, 'SIGTERM');
  for (let waited = 0; waited < GRACE && all.some(isRunning); waited += 100) await pause(100);
  for (const one of all) signal(one, 'SIGKILL');
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
