import { chmod, mkdir, readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { TerminalError } from '@windlass/foundation';
import { debianMirror, type DebianMirror } from '../debian/apt-sources.js';
import { SUITE } from '../debian/base-root.js';
import { Cache, digestOf, removeFolder } from '../debian/cache.js';
import { run } from '../debian/command.js';
import { downloadDebs } from '../debian/download-debs.js';
import { fetchPrograms } from './download.js';
import { buildPart, findGo, moduleDigest, type GoTool } from './go-build.js';
import { ARCHITECTURE } from './image-layout.js';
import { IMAGE_TOOLS, imageRecipe, writeImages } from './images.js';
import { PARTS, type Part } from './parts.js';

/** Where the real Kubernetes lies on this machine. Nothing here is changed once it is there. */
export interface RealKubernetes {
  /** Programs: `v1.34.4/kubeadm`, `etcd`, `cni/bridge`. */
  binaries: string;
  /** All images as one OCI layout. */
  images: string;
}

export interface RealKubernetesOptions {
  /** The lab's cache, such as `~/.cache/windlass/lab`. */
  cacheDir: string;
  log: (line: string) => void;
  mirrorOf?: () => Promise<DebianMirror>;
  /** What it is made of; the real parts by default. */
  parts?: readonly Part[];
  /** Looks for a Go; the machine's by default. */
  go?: () => Promise<GoTool | string>;
}

/**
 * The real Kubernetes: from the cache, else by parts: downloaded where a project publishes what has a known digest, else built with Go.
 * Each part is kept when it is done, so what is cancelled goes on where it was.
 * @throws TerminalError `lab.kubernetes` where neither way is open, saying what is missing; `lab.go-build`, `lab.disk`
 */
export async function realKubernetes(options: RealKubernetesOptions): Promise<RealKubernetes> {
  const { log, parts = PARTS } = options;
  const cache = await openCache(options.cacheDir, log);
  const recipe = await releaseRecipe(parts);
  const known = await cache.find('release', recipe);
  if (known !== undefined) {
    log(`kubernetes: the real one, from the cache: ${known}`);
    return releaseAt(known);
  }
  const made = await makeParts(cache, { ...options, parts });
  const mirrorOf = options.mirrorOf ?? (() => debianMirror(SUITE));
  return releaseAt(await cache.entry('release', recipe, (folder) => assemble(folder, made, mirrorOf, log)));
}

/** The real Kubernetes where it is in the cache; undefined where it would have to be downloaded or built. */
export async function cachedKubernetes(cacheDir: string): Promise<RealKubernetes | undefined> {
  const cache = await openCache(cacheDir, () => undefined);
  const known = await cache.find('release', await releaseRecipe(PARTS));
  return known === undefined ? undefined : releaseAt(known);
}

async function openCache(cacheDir: string, log: (line: string) => void): Promise<Cache> {
  const home = path.join(cacheDir, 'kubernetes');
  const cache = await Cache.open(home, log);
  // The cache above goes by when its folders were used.
  await utimes(home, new Date(), new Date());
  return cache;
}

const releaseRecipe = async (parts: readonly Part[]): Promise<unknown> => {
  const recipes = await Promise.all(parts.map(recipeOf));
  return { format: 1, recipes: recipes.map(digestOf), images: imageRecipe() };
};

/**
 * The folders of all parts, each from the cache or made now.
 * @throws TerminalError as {@link realKubernetes} does
 */
export async function makeParts(
  cache: Cache,
  { log, parts, go }: { log: (line: string) => void; parts: readonly Part[]; go?: () => Promise<GoTool | string> },
): Promise<string[]> {
  const findOnce = once(async () => {
    const found = await (go ?? findGo)();
    if (typeof found !== 'string')
      log(
        'kubernetes: what has to be built takes up to half an hour on two cores; Ctrl-C ends it, and the parts that are done stay',
      );
    return found;
  });
  const made: string[] = [];
  for (const part of parts)
    made.push(await cache.entry(part.name, await recipeOf(part), (folder) => makePart(part, folder, findOnce, log)));
  return made;
}

const releaseAt = (folder: string): RealKubernetes => ({
  binaries: path.join(folder, 'binaries'),
  images: path.join(folder, 'images'),
});

const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
};

const recipeOf = async (part: Part): Promise<unknown> => ({
  format: 1,
  architecture: ARCHITECTURE,
  // Not by which way it came: the versions are the same.
  modules: await moduleDigest(part),
});

/** Fills the folder of a part, in the one way or the other. */
async function makePart(
  part: Part,
  folder: string,
  go: () => Promise<GoTool | string>,
  log: (line: string) => void,
): Promise<void> {
  const missed = await downloadPart(part, folder, log);
  if (missed === undefined) return;
  const tool = await go();
  if (typeof tool === 'string') {
    throw new TerminalError(
      'lab.kubernetes',
      `a real Kubernetes can't be had here: ${part.title} is not in the cache, ${missed}, and ${tool} to build it with; bring one of them, or leave --kubernetes real away: the stand-ins need none`,
    );
  }
  log(`kubernetes: ${part.title}: ${missed}; it is built with ${tool.version}, which is done once`);
  await buildPart(part, tool, folder, log);
}

/** @returns why there is nothing; undefined where all programs of the part are there */
async function downloadPart(part: Part, folder: string, log: (line: string) => void): Promise<string | undefined> {
  if (part.downloads.length === 0) return 'no download of it has a digest that is known here';
  try {
    for (const download of part.downloads) {
      log(`kubernetes: ${part.title}: downloading ${download.url}`);
      await fetchPrograms(download, folder);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code !== 'lab.download') throw error;
    // What came before it goes: a part is downloaded whole or built whole.
    for (const name of await readdir(folder)) await removeFolder(path.join(folder, name));
    return `it can't be downloaded (${error.message})`;
  }
}

async function assemble(
  folder: string,
  parts: readonly string[],
  mirrorOf: () => Promise<DebianMirror>,
  log: (line: string) => void,
): Promise<void> {
  const binaries = path.join(folder, 'binaries');
  await mkdir(binaries);
  // Hard links: a part's programs are not on disk twice, and stay when the part's own entry goes.
  for (const part of parts) await run('cp', ['-al', `${part}/.`, binaries]);
  for (const entry of await readdir(binaries, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await chmod(path.join(entry.parentPath, entry.name), 0o755);
  log('kubernetes: making the images');
  const debs = path.join(folder, 'debs');
  await mkdir(debs);
  await downloadDebs(debs, path.join(folder, 'apt'), SUITE, IMAGE_TOOLS, await mirrorOf());
  await writeImages(path.join(folder, 'images'), binaries, debs);
  await removeFolder(debs);
}
