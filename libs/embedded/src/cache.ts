import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { everyoneReaches, type Identity } from './server-user.js';

/**
 * The folder for programs that Windlass fetched or copied: `$XDG_CACHE_HOME/windlass` or `~/.cache/windlass`. Where the server user could not
 * reach that (root's home is closed to others): `/var/cache/windlass`. It may be deleted while nothing runs.
 */
export function cacheFolder(user: Identity | undefined): string {
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'windlass');
  mkdirSync(home, { recursive: true, mode: 0o755 });
  if (user === undefined || everyoneReaches(home)) return home;
  const shared = '/var/cache/windlass';
  mkdirSync(shared, { recursive: true, mode: 0o755 });
  return shared;
}
