import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { TerminalError, untilAptIsFree } from '@windlass/foundation';
import { cacheFolder } from '../cache.js';
import { runOnce } from '../run-once.js';
import { serverUser } from '../server-user.js';
import type { Log } from '../server-process.js';

/** The oldest nats-server that Windlass is tested with: Debian 12's. */
const MIN_VERSION = [2, 9] as const;

/** Debian installs it in /usr/sbin, which is not on the PATH of ordinary users. */
const folders = (): string[] => [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/sbin',
];

function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where our own copy of Debian's program lies. */
const cached = (): string => join(cacheFolder(serverUser()), 'nats-server', 'nats-server');

/** Whether the version is new enough: `nats-server: v2.9.10`. */
export function isNewEnough(versionLine: string): boolean {
  const match = /v(\d+)\.(\d+)\./.exec(versionLine);
  const [major, minor] = [Number(match?.[1]), Number(match?.[2])];
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
}

/**
 * The path of a nats-server 2.9 or newer: from PATH, else from the cache, else Debian's package, fetched with `apt-get download` and unpacked
 * into the cache. It is not installed: Debian's package would at once start a server that listens on every interface.
 * @throws TerminalError `embedded.no-nats` saying where to get one
 */
export async function ensureNatsServer(log: Log): Promise<string> {
  const found = [...folders().map((folder) => join(folder, 'nats-server')), cached()].find(runnable);
  if (found === undefined) return takeFromDebian(cached(), log);
  const { out } = await runOnce({ file: found, args: ['--version'], user: serverUser() });
  if (isNewEnough(out)) return found;
  throw new TerminalError('embedded.no-nats', `${found} is ${out.trim()}; Windlass needs ${MIN_VERSION.join('.')} or newer`);
}

/**
 * Fetches Debian's package and puts its program at `target`. apt checks the package against the archive's signed index.
 * @throws TerminalError `embedded.no-nats`
 */
export async function takeFromDebian(target: string, log: Log): Promise<string> {
  const folder = join(target, '..');
  const temporary = mkdtempSync(`${folder}.`);
  try {
    log(`nats-server is not installed: taking it from Debian's package into ${folder}`);
    await download(temporary, log);
    const file = readdirSync(temporary).find((name) => name.endsWith('.deb'));
    if (file === undefined) throw new TerminalError('embedded.no-nats', 'apt-get downloaded no package file');
    await runOnce({ file: 'dpkg-deb', args: ['--extract', join(temporary, file), join(temporary, 'package')] });
    publish(join(temporary, 'package', 'usr', 'sbin', 'nats-server'), target, temporary);
    return target;
  } catch (cause) {
    throw new TerminalError(
      'embedded.no-nats',
      `nats-server is not installed and can't be taken from Debian's package nats-server: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Install nats-server 2.9 or newer (https://nats.io/download) so that it is on the PATH, or give NATS_URL',
      { cause },
    );
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The program appears in the cache whole or not at all. */
function publish(program: string, target: string, temporary: string): void {
  const ready = join(temporary, 'ready');
  copyInto(ready, program);
  try {
    renameSync(ready, join(target, '..'));
  } catch (error) {
    if (!existsSync(target)) throw error; // else another process was faster
  }
}

function copyInto(folder: string, program: string): void {
  const copy = join(folder, 'nats-server');
  mkdirSync(folder, { mode: 0o755 });
  copyFileSync(program, copy);
  chmodSync(folder, 0o755);
  chmodSync(copy, 0o755);
}

/** Root may refresh stale package lists; others take them as they are. */
async function download(folder: string, log: Log): Promise<void> {
  const fetch = () => runOnce({ file: 'apt-get', args: ['download', '--quiet', 'nats-server'], folder });
  try {
    await fetch();
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    log('refreshing the package lists first (apt-get update)');
    await untilAptIsFree(() => runOnce({ file: 'apt-get', args: ['update', '--quiet'] }), { log });
    await fetch();
  }
}
