import type { Duration } from '@windlass/foundation';

/** How a process ended: an exit code, or the signal that killed it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why, where the process itself said so. */
  reason?: string;
}

/** What it takes to end a process. */
export interface Stoppable {
  /** Resolves when the process has ended. */
  exited: Promise<Exit>;
  /** Asks the process to end in order. */
  ask: () => void;
  /** Ends the process by force. */
  kill: () => void;
}

/** Asks a process to end, and kills it when it has not ended within the limit. @returns how the process ended */
export async function stopWithin({ exited, ask, kill }: Stoppable, within: Duration): Promise<Exit> {
  ask();
  const timer = setTimeout(kill, within);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}
