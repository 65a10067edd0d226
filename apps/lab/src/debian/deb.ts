import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TerminalError } from '@windlass/foundation';
import { removeFolder } from './cache.js';
import { run } from './command.js';
import type { StandinFile, StandinPackage } from './standin-package.js';
import { makeFolders } from './write-tree.js';

/** A .deb file and its stanza for a repository's `Packages`, without the line that says where it lies. */
export interface IndexEntry {
  /** Name of the file in its pool. */
  file: string;
  stanza: string;
}

/** Reads what a repository's index says about a .deb. */
export async function indexEntry(deb: string): Promise<IndexEntry> {
  const control = (await run('dpkg-deb', ['--field', deb])).trim();
  const { size } = await stat(deb);
  return { file: path.basename(deb), stanza: `${control}\nSize: ${size}\nSHA256: ${await sha256(deb)}\n` };
}

/**
 * What decides a stand-in's content, with the digests of the files it copies from the machine.
 * @throws TerminalError `lab.standin` naming the package and what is wrong with it.
 */
export async function standinRecipe(standin: StandinPackage): Promise<unknown> {
  checkStandin(standin);
  const files = await Promise.all(
    standin.files.map(async (file) => ({ ...file, ...(file.source === undefined ? {} : { source: await sha256(file.source) }) })),
  );
  return { ...standin, files };
}

/** Builds a stand-in's .deb into a folder and returns its path. */
export async function buildStandin(standin: StandinPackage, folder: string): Promise<string> {
  checkStandin(standin);
  const tree = await mkdtemp(path.join(os.tmpdir(), 'windlass-deb-'));
  try {
    await chmod(tree, 0o755);
    for (const file of standin.files) await layFile(tree, file);
    const control = path.join(tree, 'DEBIAN');
    await mkdir(control);
    await chmod(control, 0o755);
    await writeFile(path.join(control, 'control'), controlOf(standin));
    if (standin.conffiles !== undefined)
      await writeFile(path.join(control, 'conffiles'), standin.conffiles.map((file) => `${file}\n`).join(''));
    if (standin.postinst !== undefined) {
      await writeFile(path.join(control, 'postinst'), standin.postinst);
      await chmod(path.join(control, 'postinst'), 0o755);
    }
    const deb = path.join(folder, debName(standin));
    await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, deb]);
    return deb;
  } finally {
    await removeFolder(tree);
  }
}

async function layFile(tree: string, file: StandinFile): Promise<void> {
  await makeFolders(tree, path.dirname(file.path).slice(1));
  const target = path.join(tree, file.path);
  if (file.source === undefined) await writeFile(target, file.content ?? '');
  else await copyFile(file.source, target);
  await chmod(target, file.mode);
}

function controlOf({ name, version, architecture = 'all', depends = [], description }: StandinPackage): string {
  const fields = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: 'Windlass lab <lab@windlass.invalid>',
    ...(depends.length === 0 ? {} : { Depends: depends.join(', ') }),
    Section: 'admin',
    Priority: 'optional',
    Description: description,
  };
  return Object.entries(fields)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('');
}

function checkStandin(standin: StandinPackage): void {
  const refuse = (what: string) => new TerminalError('lab.standin', `the stand-in package '${standin.name}' ${what}`);
  if (!/^[a-z0-9][a-z0-9+.-]+$/.test(standin.name)) throw refuse('has a name that Debian does not allow');
  if (!/^(\d+:)?\d[A-Za-z0-9.+~-]*$/.test(standin.version))
    throw refuse(`has the version '${standin.version}', which Debian does not allow`);
  if (standin.repository !== undefined && !/^(?!\.)[\w.:+-]+(\/(?!\.)[\w.:+-]+)*$/.test(standin.repository))
    throw refuse(`names the repository '${standin.repository}', which is no relative path`);
  const lines = [standin.architecture ?? 'all', standin.description, ...(standin.depends ?? []), ...(standin.conffiles ?? [])];
  if (lines.some((line) => line.includes('\n') || line.trim() === ''))
    throw refuse('has an empty field or one with a line break');
  for (const file of standin.files) {
    if (path.normalize(file.path) !== file.path || !file.path.startsWith('/') || file.path.endsWith('/'))
      throw refuse(`has a file at '${file.path}', which is no absolute path`);
    if ((file.content === undefined) === (file.source === undefined))
      throw refuse(`must give either content or source for ${file.path}`);
  }
}

/** Debian's file name of a package; an epoch's colon is written as apt writes it. */
const debName = ({ name, version, architecture = 'all' }: StandinPackage): string =>
  `${name}_${version.replace(':', '%3a')}_${architecture}.deb`;

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
