import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { surroundings } from '@windlass/windlass';
import { home } from '../../support/deployed.js';

const run = promisify(execFile);

/** Another release of Windlass, built in a folder of its own. */
export interface Release {
  /** `older` or `newer`. */
  name: string;
  /** The folder of the release's checkout, built. */
  home: string;
  /** The commit of the release. */
  commit: string;
}

/** The file with the commit of the last release that landed, which runs beside this one by default. */
const LAST_LANDED = join(import.meta.dirname, '../last-landed-release');
/** At most so many built releases are kept on a machine. */
const KEPT = 3;
/** The limit for npm's installation and a whole build, on a busy machine. */
const BUILT_WITHIN = 20 * 60_000;
const PLENTY = { maxBuffer: 64 * 1024 * 1024 };

/**
 * The release that `WINDLASS_OLDER_RELEASE` names (any name of a commit that git knows), or the last that landed. It is checked out into
 * `~/.cache/windlass/releases/<commit>` and built there, once.
 * @throws Error where this clone lacks the commit, with how to get it
 */
export async function olderRelease(): Promise<Release> {
  const commit = await namedRelease();
  const releases = join(surroundings().cache, 'releases');
  const folder = join(releases, commit);
  if (!existsSync(folder)) await build(commit, releases, folder);
  await utimes(folder, new Date(), new Date());
  await forgetOldest(releases);
  return { name: 'older', home: folder, commit };
}

/** The commit of the release that `WINDLASS_OLDER_RELEASE` names, or of the last that landed. @throws as {@link commitOf} */
export async function namedRelease(): Promise<string> {
  return commitOf(process.env.WINDLASS_OLDER_RELEASE ?? (await readFile(LAST_LANDED, 'utf8')).trim());
}

/** This checkout with its present build. */
export const thisRelease = (): Release => ({ name: 'newer', home, commit: 'this checkout' });

/** The full hash of a commit. @throws Error where this clone lacks the commit, with how to get it */
export async function commitOf(named: string, checkout = home): Promise<string> {
  try {
    const { stdout } = await run('git', [
      '-C',
      checkout,
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${named}^{commit}`,
    ]);
    return stdout.trim();
  } catch (cause) {
    const { stdout } = await run('git', ['-C', checkout, 'rev-parse', '--is-shallow-repository']);
    const shallow = stdout.trim() === 'true';
    throw new Error(
      shallow
        ? `this clone is shallow and does not have the release ${named}: "git fetch --unshallow" gets it, or WINDLASS_OLDER_RELEASE=<commit> names one that is there`
        : `this clone has no commit ${named}: "git fetch" it, or name another one with WINDLASS_OLDER_RELEASE=<commit>`,
      { cause },
    );
  }
}

/** Builds in a temporary folder, which is renamed when it is complete: an interrupted build is made again. */
async function build(commit: string, releases: string, folder: string): Promise<void> {
  await mkdir(releases, { recursive: true });
  const made = await mkdtemp(join(releases, 'made-'));
  try {
    const archive = `${made}.tar`;
    await run('git', ['-C', home, 'archive', '--format=tar', `--output=${archive}`, commit]);
    await run('tar', ['-xf', archive, '-C', made]);
    await rm(archive);
    await borrowPackages(made);
    // `./windlass` installs missing npm packages, and builds, or takes this machine's kept build of the same sources.
    await run(join(made, 'windlass'), ['--help'], { ...PLENTY, timeout: BUILT_WITHIN });
    await rename(made, folder);
  } finally {
    await rm(made, { recursive: true, force: true });
    await rm(`${made}.tar`, { force: true });
  }
}

/** Where both releases have the same npm packages, the older release gets this checkout's by hard links. Otherwise `./windlass` installs them. */
async function borrowPackages(made: string): Promise<void> {
  for (const file of ['package-lock.json', 'package.json'])
    if (!(await readFile(join(made, file))).equals(await readFile(join(home, file)))) return;
  const installed = join(home, '.windlass/installed');
  if (!existsSync(installed)) return;
  try {
    await run('cp', ['-al', join(home, 'node_modules'), join(made, 'node_modules')]);
  } catch {
    // The cache may lie on another file system, where hard links fail.
    await rm(join(made, 'node_modules'), { recursive: true, force: true });
    await cp(join(home, 'node_modules'), join(made, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  }
  await mkdir(join(made, '.windlass'), { recursive: true });
  await writeFile(join(made, '.windlass/installed'), await readFile(installed));
}

async function forgetOldest(releases: string): Promise<void> {
  const folders = (await readdir(releases)).filter((name) => /^[0-9a-f]{40}$/.test(name));
  const used = await Promise.all(folders.map(async (name) => ({ name, at: (await stat(join(releases, name))).mtimeMs })));
  for (const { name } of used.sort((one, other) => other.at - one.at).slice(KEPT))
    await rm(join(releases, name), { recursive: true, force: true });
}
