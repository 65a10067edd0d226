import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const HOME = join(import.meta.dirname, '../..');
const pageOf = (name: string): string => readFileSync(join(HOME, 'docs', name), 'utf8');

interface Promised {
  title: string;
  shownBy: string;
  seen: string;
}

const promises: Promised[] = pageOf('promises.md')
  .split('\n')
  .filter((line) => line.startsWith('| **'))
  .map((line) => {
    const [, promise = '', shownBy = '', seen = ''] = line.split(/ ?(?<!\\)\| ?/);
    return { title: /\*\*(.+?)\*\*/.exec(promise)?.[1] ?? promise, shownBy, seen };
  });

/** What is typed, or a path, in the column that says by what a promise is shown. */
const inCode = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The benches as their sources declare them. Loading them loads the lab, for which no test of a page is worth waiting. */
const BENCHES = join(HOME, 'apps/workbench/src/commands');
const declared = readdirSync(BENCHES)
  .filter((file) => /^bench.*(?<!\.spec)\.ts$/.test(file))
  .flatMap((file) => readFileSync(join(BENCHES, file), 'utf8').split(/(?=new Command\()/))
  .map((text) => ({
    name: /^new Command\('([a-z-]+)'\)/.exec(text)?.[1],
    options: [...text.matchAll(/'(?:-\w, )?(--[a-z-]+)/g)].map(([, option = '']) => option),
  }));

function wrongWithBench([name = '', ...words]: readonly string[]): string | undefined {
  const bench = declared.find((each) => each.name === name);
  if (bench === undefined) return `there is no bench ${name}`;
  const unknown = words.filter((word) => word.startsWith('--') && !bench.options.includes(word));
  return unknown.length === 0 ? undefined : `bench ${name} does not take ${unknown.join(' ')}`;
}

/** Whether the path, or the beginning of one as vitest takes it, is that of a test or of a folder with tests. */
function isTested(path: string): boolean {
  const beside = readdirSync(join(HOME, dirname(path)), { withFileTypes: true });
  return beside.some(
    (entry) =>
      entry.name.startsWith(basename(path)) &&
      (entry.isDirectory()
        ? readdirSync(join(HOME, dirname(path), entry.name), { recursive: true }).some((file) =>
            String(file).endsWith('.spec.ts'),
          )
        : entry.name.endsWith('.spec.ts')),
  );
}

function wrongWith(code: string): string | undefined {
  const words = code.split(' ');
  if (code.startsWith('./windlass bench ')) return wrongWithBench(words.slice(2));
  const [path = ''] = /(?:tests|libs|apps)\/\S+/.exec(code) ?? [];
  if (path !== '') return isTested(path) ? undefined : `there is no test ${path}`;
  return /^[a-z-]+(\.[a-z]+)+\.ts$/.test(code) ? undefined : `what is ${code}?`;
}

/** Times and counts of what was done: `10.54 s`, `84 operations`. A lease is a setting. */
const figuresIn = (seen: string): string[] =>
  [...seen.replaceAll(/lease of \d+ s/g, '').matchAll(/\d+(?:\.\d+)?(?: to \d+(?:\.\d+)?)? (?:ms|s|operations|strikes)\b/g)].map(
    ([figure]) => figure,
  );

describe('what docs/promises.md promises', () => {
  it('is read from its table, and what is wrong there is found', () => {
    expect(promises.length).toBeGreaterThan(7);
    expect(promises.every(({ title, shownBy, seen }) => title !== '' && shownBy !== '' && seen !== '')).toBe(true);
    expect(wrongWith('./windlass bench speed')).toBe('there is no bench speed');
    expect(wrongWith('./windlass bench engine --quick')).toBe('bench engine does not take --quick');
    expect(wrongWith('npx vitest run --project e2e tests/hazards/with-no-such')).toBe(
      'there is no test tests/hazards/with-no-such',
    );
    expect(figuresIn('84 operations, at most 1.7 s, with a lease of 10 s; 13.6 to 18.6 s')).toEqual([
      '84 operations',
      '1.7 s',
      '13.6 to 18.6 s',
    ]);
  });

  it.each(promises)('is shown by a bench or a test that there is: $title', ({ shownBy }) => {
    const named = inCode(shownBy);
    expect(named).not.toEqual([]);
    expect(named.map(wrongWith).filter((wrong) => wrong !== undefined)).toEqual([]);
  });

  it.each(promises)('has the figures that docs/bench.md has: $title', ({ seen }) => {
    const bench = pageOf('bench.md');
    expect(figuresIn(seen).filter((figure) => !bench.includes(figure))).toEqual([]);
  });
});
