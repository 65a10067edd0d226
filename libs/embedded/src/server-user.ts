import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvariantError } from '@windlass/foundation';

/** Whom a server runs as. */
export interface Identity {
  uid: number;
  gid: number;
}

/**
 * The unprivileged user that servers run as when Windlass is root: PostgreSQL refuses to run as root, and nats-server needs no rights.
 * A number without an account, so that nothing else on the machine runs as it: above Debian's dynamic system users (60000-64999),
 * below 65534 (nobody) and inside the 65536 ids that a rootless container has.
 */
export const SERVER_USER: Identity = { uid: 65_432, gid: 65_432 };

/** The user to drop to, or undefined when we are not root and servers run as ourselves. */
export const serverUser = (): Identity | undefined => (process.getuid?.() === 0 ? SERVER_USER : undefined);

/**
 * The user that runs `initdb` when Windlass is root: initdb looks its own user up in the account database and refuses one without an
 * account, so it can't be {@link SERVANT}. The cluster it makes is handed to the server user before it is first started.
 */
export function accountForInitdb(): Identity {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid }) => name !== '' && uid > 0);
  const account = accounts.find(({ name }) => name === 'nobody') ?? accounts[0];
  if (account === undefined) throw new InvariantError('/etc/passwd has no account but root; initdb needs one to run as');
  return { uid: account.uid, gid: account.gid };
}

/** Whether everybody may pass through every folder on the way to this path, so that an unprivileged server can reach it. */
export function everyoneReaches(path: string): boolean {
  let here = realpathSync(path);
  for (;;) {
    if ((statSync(here).mode & 0o001) === 0) return false;
    const parent = dirname(here);
    if (parent === here) return true;
    here = parent;
  }
}

/**
 * Makes a server's data folder where there is none, and lets others pass through it (not list it), so that `initdb`'s user reaches what is its
 * own inside. The folders above may stay closed, `/root` or one of `mkdtemp` for instance: servers are started *in* their folder and name
 * it `/proc/self/cwd`, which the kernel resolves without walking the path.
 * @returns the absolute path
 */
export function makeDataFolder(dataDir: string): string {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (serverUser() !== undefined) chmodSync(folder, statSync(folder).mode | 0o111);
  return folder;
}

/** The folder a process was started in, for a process that may not pass through the folders above it. */
export const HERE = '/proc/self/cwd';
