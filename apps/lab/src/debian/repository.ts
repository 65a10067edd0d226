import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { TerminalError } from '@windlass/foundation';
import { removeFolder, type Cache } from './cache.js';
import { run } from './command.js';
import { buildStandin, indexEntry, standinRecipe, type IndexEntry } from './deb.js';
import type { RealPackages } from './real-packages.js';
import type { StandinPackage } from './standin-package.js';

/** A signed apt repository on disk: what is served under which path. */
export interface Repository {
  /** Files by URL path, decoded, such as `/InRelease`. */
  files: ReadonlyMap<string, string>;
  /** The public key, as `signed-by` takes it. */
  key: Buffer;
  /** The .deb files that every VM has from its first boot. */
  preinstalled: string[];
}

/** A .deb where it lies now, and its line in an index. */
interface PooledDeb {
  path: string;
  entry: IndexEntry;
}

/** A folder of the server that is a repository of its own: a flat one, as pkgs.k8s.io's are. */
interface FlatRepository {
  /** URL path with a slash at its end; `/` is the main one. */
  at: string;
  debs: PooledDeb[];
}

/** What a built repository says about itself. Files are relative to its folder. */
interface Contents {
  served: Record<string, string>;
  preinstalled: string[];
}

/**
 * The lab's repository of real packages and stand-ins, from the cache where these stand-ins have been built before.
 * The main one lies at `/`; a stand-in that names a further one is there too.
 * @throws TerminalError `lab.standin` when a stand-in is malformed or there twice.
 */
export async function repository(
  cache: Cache,
  real: readonly RealPackages[],
  standins: readonly StandinPackage[],
): Promise<Repository> {
  const recipes = await Promise.all(standins.map(standinRecipe));
  const folder = await cache.entry('repository', { format: 3, real: real.map(({ pool }) => pool), recipes }, async (building) => {
    const pool = path.join(building, 'pool');
    await mkdir(pool);
    const built: PooledDeb[] = [];
    for (const standin of standins) {
      const deb = await buildStandin(standin, pool);
      built.push({ path: deb, entry: await indexEntry(deb) });
    }
    const fetched = real.flatMap(({ pool: from, index }) => index.map((entry) => ({ path: path.join(from, entry.file), entry })));
    const served = await writeSigned(building, flatRepositories([...fetched, ...built], standins, built));
    const preinstalled = built
      .filter((_, at) => standins[at]?.preinstalled === true)
      .map((deb) => path.relative(building, deb.path));
    await writeFile(path.join(building, 'contents.json'), JSON.stringify({ served, preinstalled } satisfies Contents));
  });
  const contents = JSON.parse(await readFile(path.join(folder, 'contents.json'), 'utf8')) as Contents;
  return {
    files: new Map(Object.entries(contents.served).map(([at, file]) => [at, path.resolve(folder, file)])),
    key: await readFile(path.join(folder, 'key.gpg')),
    preinstalled: contents.preinstalled.map((file) => path.join(folder, file)),
  };
}

function flatRepositories(all: PooledDeb[], standins: readonly StandinPackage[], built: readonly PooledDeb[]): FlatRepository[] {
  const twice = all.find(({ entry }, at) => all.slice(0, at).some((other) => other.entry.file === entry.file));
  if (twice !== undefined)
    throw new TerminalError('lab.standin', `the package ${twice.entry.file} would be in the lab's repository twice`);
  const further = new Map<string, PooledDeb[]>();
  built.forEach((deb, at) => {
    const where = standins[at]?.repository;
    if (where !== undefined) further.set(where, [...(further.get(where) ?? []), deb]);
  });
  return [{ at: '/', debs: all }, ...[...further].map(([where, debs]) => ({ at: `/${where}/`, debs }))];
}

/**
 * Indexes and signs every repository with one key, whose secret part is gone before anybody reads a package.
 * @returns files by the path they are served at.
 */
async function writeSigned(folder: string, repositories: readonly FlatRepository[]): Promise<Record<string, string>> {
  const contents: Record<string, string> = { '/key.gpg': 'key.gpg', '/key.asc': 'key.asc' };
  await withSigningKey(async (gpg) => {
    await gpg(['--output', path.join(folder, 'key.gpg'), '--export']);
    await gpg(['--output', path.join(folder, 'key.asc'), '--armor', '--export']);
    for (const [number, { at, debs }] of repositories.entries()) {
      const lists = path.join(folder, `lists-${number}`);
      await mkdir(lists);
      for (const deb of debs) contents[`${at}pool/${deb.entry.file}`] = path.relative(folder, deb.path);
      const files = await writeIndex(lists, debs);
      await gpg(['--output', path.join(lists, 'InRelease'), '--clearsign', path.join(lists, 'Release')]);
      await gpg(['--output', path.join(lists, 'Release.gpg'), '--armor', '--detach-sign', path.join(lists, 'Release')]);
      for (const file of [...files, 'InRelease', 'Release.gpg']) contents[`${at}${file}`] = `lists-${number}/${file}`;
      // Where pkgs.k8s.io has its key.
      contents[`${at}Release.key`] = 'key.asc';
    }
  });
  return contents;
}

/** Writes `Packages`, `Packages.gz` and `Release`, and returns their names. */
async function writeIndex(lists: string, debs: readonly PooledDeb[]): Promise<string[]> {
  const packages = Buffer.from(debs.map(({ entry }) => `${entry.stanza}Filename: pool/${entry.file}\n\n`).join(''));
  const indexes = new Map([
    ['Packages', packages],
    ['Packages.gz', await promisify(gzip)(packages)],
  ]);
  for (const [file, content] of indexes) await writeFile(path.join(lists, file), content);
  const sums = [...indexes].map(
    ([file, content]) => ` ${createHash('sha256').update(content).digest('hex')} ${content.length} ${file}\n`,
  );
  const architecture = (await run('dpkg', ['--print-architecture'])).trim();
  const release = [
    'Origin: Windlass lab',
    'Label: Windlass lab',
    'Suite: lab',
    'Codename: lab',
    `Date: ${new Date().toUTCString().replace('GMT', 'UTC')}`,
    `Architectures: ${architecture} all`,
    'Description: Real Debian packages and named stand-ins for the VMs of a Windlass lab',
    'SHA256:',
  ];
  await writeFile(path.join(lists, 'Release'), `${release.join('\n')}\n${sums.join('')}`);
  return [...indexes.keys(), 'Release'];
}

type Gpg = (args: readonly string[]) => Promise<void>;

/** A key that lives as long as `use` runs, in a home of its own. The home is in /tmp because its agent's socket path must be short. */
async function withSigningKey(use: (gpg: Gpg) => Promise<void>): Promise<void> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'windlass-gpg-'));
  const gpg: Gpg = async (args) => {
    await run('gpg', ['--homedir', home, '--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', '', ...args]);
  };
  try {
    await gpg(['--quick-generate-key', 'Windlass lab (throw-away) <lab@windlass.invalid>', 'ed25519', 'sign', 'never']);
    await use(gpg);
  } finally {
    await run('gpgconf', ['--homedir', home, '--kill', 'all']);
    await removeFolder(home);
  }
}
