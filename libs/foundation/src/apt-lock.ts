import { minutes, seconds, type Duration } from './duration.js';
import { waitUntil } from './wait-until.js';

/** What apt and dpkg say when another program holds one of their locks: of the package lists, the downloads, or dpkg's own. */
const HELD = /Could not get lock \S+\.? ?(.*)|locked by another process/;

export interface AptLockOptions {
  /** Told once, when there is something to wait for. */
  log: (line: string) => void;
  /** Half an hour by default: a machine that has just booted may install its upgrades. */
  within?: Duration;
  every?: Duration;
}

/**
 * Runs apt-get, again and again for as long as it ends because another program holds a lock. apt itself can only wait for one of its locks, and
 * says nothing meanwhile.
 * @param attempt runs apt-get with LC_ALL=C; throws an error whose message holds what it printed last
 * @throws TransientError `wait.timeout` when the lock is held for longer; any other error of an attempt at once
 */
export async function untilAptIsFree<T>(
  attempt: () => Promise<T>,
  { log, within = minutes(30), every = seconds(1) }: AptLockOptions,
): Promise<T> {
  let told = false;
  const { result } = await waitUntil(
    async (seen) => {
      try {
        return { result: await attempt() };
      } catch (error) {
        const held = error instanceof Error ? HELD.exec(error.message) : null;
        if (held === null) throw error;
        seen(held[0]);
        if (!told) log(`waiting for another program that installs packages (${held[0]})`);
        told = true;
        return undefined;
      }
    },
    { for: 'apt to be free', within, every },
  );
  return result;
}
