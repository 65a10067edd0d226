import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a check looks at by itself: a file, or the files of a project together. */
export interface Part {
  /** Path from the repository's root, as the check's program takes it. */
  path: string;
  /** Of everything that its result depends on. Two checkouts with one key have one result. */
  key: string;
}

/** The parts of a repository. */
export type PartsOf = (home: string) => Part[];

/** Each file by itself, by its path and content: a formatter. Its own cache goes by absolute paths, which another clone does not have. */
export const eachFile: PartsOf = (home) => {
  const all = keyOf(contents(home, ['.prettierrc.json', '.prettierignore', 'package-lock.json']));
  return filesOf(home).map((path) => ({ path, key: keyOf([all, path, content(home, path)]) }));
};

const LINTED = /\.(tsx?|[cm]?js)$/;

/**
 * Each project, and each file and folder beside projects, by its files and by the declarations that its projects' build gave (`dist/**.d.ts`): what a linter
 * with types sees of other projects. The build is newer than the sources, for `./windlass` has made it; the graph is that of the last `nx graph`.
 */
export const eachProject: PartsOf = (home) => {
  const { nodes, dependencies } = readGraph(home);
  const all = keyOf([
    ...contents(home, ['package-lock.json', 'eslint.config.mjs', 'tsconfig.base.json', 'tsconfig.lint.json', '.gitignore']),
    // Tags and arrows, which the rule of module boundaries reads of all projects.
    JSON.stringify(
      Object.entries(nodes)
        .map(([name, { data }]) => [name, data.root, data.tags, targetsOf(name, dependencies)])
        .sort(),
    ),
  ]);
  const declarations = new Map(Object.keys(nodes).map((name) => [name, declarationsOf(home, nodes[name]?.data.root ?? '')]));
  const byFolder = new Map(Object.entries(nodes).map(([name, { data }]) => [data.root, name]));
  const parts = new Map<string, string[]>();
  for (const file of filesOf(home)) parts.set(partOf(file), [...(parts.get(partOf(file)) ?? []), file]);
  return [...parts]
    .filter(([, files]) => files.some((file) => LINTED.test(file)))
    .map(([path, files]) => {
      const project = byFolder.get(path);
      const seen = project === undefined ? [...declarations.keys()] : [...dependenciesOf(project, dependencies)];
      const others = seen.sort().map((name) => declarations.get(name) ?? '');
      return { path, key: keyOf([all, ...others, ...files.flatMap((file) => [file, content(home, file)])]) };
    });
};

interface Graph {
  nodes: Readonly<Record<string, { data: { root: string; tags?: readonly string[] } }>>;
  dependencies: Readonly<Record<string, { source: string; target: string }[]>>;
}

const readGraph = (home: string): Graph =>
  (JSON.parse(readFileSync(join(home, '.nx/graph.json'), 'utf8')) as { graph: Graph }).graph;

/** What lies in `libs/saga` is of `libs/saga`, what lies anywhere in `tests` is of `tests`, `vitest.config.ts` is of itself. */
const partOf = (file: string): string => /^(?:(?:libs|apps)\/)?[^/]+/.exec(file)?.[0] ?? file;

const targetsOf = (project: string, dependencies: Graph['dependencies']): string[] =>
  [...new Set((dependencies[project] ?? []).map(({ target }) => target))].sort();

function dependenciesOf(project: string, dependencies: Graph['dependencies'], found = new Set<string>()): Set<string> {
  for (const target of targetsOf(project, dependencies))
    if (!found.has(target)) dependenciesOf(target, dependencies, found.add(target));
  return found;
}

const declarationsOf = (home: string, root: string): string =>
  keyOf(git(home, ['ls-files', '-z', '--others', '--', `${root}/dist/*.d.ts`]).flatMap((path) => [path, content(home, path)]));

/** What git has, and what it would have: all files that checks look at. */
const filesOf = (home: string): string[] =>
  [...new Set(git(home, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']))]
    .filter((path) => existsSync(join(home, path)))
    .sort();

const git = (home: string, args: readonly string[]): string[] =>
  execFileSync('git', args, { cwd: home, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\0')
    .filter((path) => path !== '');

const content = (home: string, path: string): string => keyOf([readFileSync(join(home, path))]);
const contents = (home: string, paths: readonly string[]): string[] => paths.map((path) => content(home, path));

function keyOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex').slice(0, 32);
}

/** So many keys are kept: those of some ten changes. */
const KEPT = 50_000;

/** What a check found clean on this machine, in whatever checkout. It may be deleted. */
export class CleanParts {
  readonly #file: string;
  readonly #known: Set<string>;

  constructor(cache: string, check: string) {
    this.#file = join(cache, 'clean', check);
    this.#known = new Set(existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n') : []);
  }

  /** Those that nobody has found clean yet. */
  unknown(parts: readonly Part[]): Part[] {
    return parts.filter(({ key }) => !this.#known.has(key));
  }

  /** All parts of a check that found nothing. */
  add(parts: readonly Part[]): void {
    const full = this.#known.size > KEPT;
    const lines = (full ? parts : this.unknown(parts)).map(({ key }) => `${key}\n`).join('');
    if (lines === '') return;
    mkdirSync(dirname(this.#file), { recursive: true });
    if (full) writeFileSync(this.#file, lines);
    else appendFileSync(this.#file, lines);
  }
}
