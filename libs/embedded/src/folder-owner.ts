import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, InvariantError, TerminalError } from '@windlass/foundation';
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js';

const fileIn = (folder: string): string => join(folder, 'owner.json');

function readOwner(folder: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(fileIn(folder), 'utf8'));
    if (!isJsonObject(value) || typeof value.pid !== 'number' || typeof value.startedAt !== 'string') return undefined;
    return { pid: value.pid, startedAt: value.startedAt };
  } catch {
    return undefined; // nobody yet, or a record cut off by a crash: its writer is gone
  }
}

/**
 * Takes a data folder for this process. One whose owner has died is taken over.
 * @throws TerminalError `embedded.in-use` while a living process has it, this one included: two servers on one folder would destroy it
 */
export function takeFolder(folder: string): void {
  const owner = readOwner(folder);
  if (owner !== undefined && isRunning(owner)) {
    throw new TerminalError(
      'embedded.in-use',
      `${folder} is in use by process ${owner.pid}; stop that one first, or choose another data folder`,
    );
  }
  const self = identityOf(process.pid);
  if (self === undefined)
    throw new InvariantError('/proc does not list this process; the embedded servers need Linux with /proc');
  writeFileSync(fileIn(folder), JSON.stringify(self));
}

/** Gives the folder back; only its owner does. */
export function releaseFolder(folder: string): void {
  if (readOwner(folder)?.pid === process.pid) rmSync(fileIn(folder), { force: true });
}
