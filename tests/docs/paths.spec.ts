import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');
const known = new Set(files.flatMap((file) => file.split('/').map((_part, n, parts) => parts.slice(0, n + 1).join('/'))));

/** Made by a build or an operator, so not in the repository. */
const MADE = /\/dist\/|^deploy\/secrets\b/;

/** Paths from the repository's root, as prose and comments name them. Globs and placeholders are none. */
const PATHS = /(?<![\w./~$@:-])(?:apps|libs|tests|docs|deploy|samples|tools|bench)\/[\w./@-]*[\w@](?![\w./@-]*[*<{])/g;

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A path may be named without its ending, as modules are. */
const isThere = (path: string): boolean => known.has(path) || files.some((file) => file.startsWith(`${path}.`));

/** Paths in a text that are not in the repository. */
const lostIn = (text: string): string[] =>
  [...text.matchAll(PATHS)].map(([path]) => path).filter((path) => !isThere(path) && !MADE.test(path));

const commentsOf = (source: string): string =>
  [...source.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)].map(([comment]) => comment).join('\n');

const lost = (kind: RegExp, read: (text: string) => string): string[] =>
  files
    .filter((file) => kind.test(file) && !/fixtures|\.schema\.json$/.test(file))
    .flatMap((file) => lostIn(read(textOf(file))).map((path) => `${file}: ${path}`));

/** Where a heading is found, as GitHub makes its anchor. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (file: string): string[] =>
  [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Links of a document that lead nowhere in the repository. */
function brokenLinks(file: string): string[] {
  const links = [...textOf(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  return links.flatMap(([, path = '', anchor]) => {
    const target = path === '' ? file : join(dirname(file), path).replace(/\/$/, '');
    if (!known.has(target)) return [`${file}: ${path}`];
    return anchor === undefined || !target.endsWith('.md') || anchorsIn(target).includes(anchor)
      ? []
      : [`${file}: ${path}#${anchor}`];
  });
}

describe('what documents and comments name is in the repository', () => {
  it('finds a path that is lost, and none that is there', () => {
    expect(lostIn('see `tests/docs/paths.spec.ts`, libs/saga and docs/no-such.md.')).toEqual(['docs/no-such.md']);
  });

  it('has every path that a document names', () => {
    expect(lost(/\.md$/, (text) => text)).toEqual([]);
  });

  it('has every path that a comment names', () => {
    expect(lost(/\.(ts|mjs)$/, commentsOf)).toEqual([]);
  });

  it('has a test for each claim of docs/security.md, and says what of it is held by reading alone', () => {
    const [, table = ''] = textOf('docs/security.md').split('| what | how | held by |\n|---|---|---|\n');
    const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) expect(row).toMatch(/\| (`[\w./-]+`(, )?)+(; by reading: [^|]+)? \|$/);
  });

  it('has every target of a link between documents', () => {
    const documents = files.filter((file) => file.endsWith('.md') && !/fixtures|^samples\/|etsi/.test(file));
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });
});
