import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CleanUnits, filesAsUnits, projectsAsUnits, type UnitsOf } from './clean.js';

const SETTINGS = [
  '.prettierrc.json',
  '.prettierignore',
  'package-lock.json',
  'eslint.config.mjs',
  'tsconfig.base.json',
  'tsconfig.lint.json',
];
const node = (name: string, root: string) => [name, { data: { root } }] as const;
const GRAPH = {
  nodes: Object.fromEntries([node('saga', 'libs/saga'), node('api', 'apps/api'), node('sol', 'libs/sol')]),
  dependencies: { api: [{ source: 'api', target: 'saga' }], saga: [], sol: [] },
};

let home: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'windlass-clean-'));
  execFileSync('git', ['init', '-q'], { cwd: home });
  for (const path of SETTINGS) write(path, '{}');
  write('.gitignore', 'dist/\n.nx/\n');
  write('.nx/graph.json', JSON.stringify({ graph: GRAPH }));
  write('libs/saga/src/a.ts', 'a');
  write('libs/saga/dist/a.d.ts', 'says a');
  write('libs/saga/dist/a.js', 'a');
  write('libs/sol/dist/s.d.ts', 's');
  write('apps/api/dist/b.d.ts', 'b');
  write('libs/sol/src/s.ts', 's');
  write('apps/api/src/b.ts', 'b');
  write('tests/one.spec.ts', 't');
  write('docs/page.md', 'words');
});
afterEach(() => rmSync(home, { recursive: true }));

/** What is looked at again after a change, in another run. */
function afterwards(units: UnitsOf, change: () => void): string[] {
  new CleanUnits(join(home, '.nx/cache'), 'check').add(units(home));
  change();
  return new CleanUnits(join(home, '.nx/cache'), 'check').unknown(units(home)).map(({ path }) => path);
}

describe('what was found clean', () => {
  it('is everything again where nothing changed, also in another checkout', () => {
    for (const units of [filesAsUnits, projectsAsUnits]) {
      expect(units(home).length).toBeGreaterThan(3);
      expect(afterwards(units, () => undefined)).toEqual([]);
    }
  });

  it.each<[string, [string, string], string[]]>([
    ['it changed', ['libs/saga/src/a.ts', 'A'], ['libs/saga/src/a.ts']],
    ['it is new', ['libs/saga/src/c.ts', 'c'], ['libs/saga/src/c.ts']],
    ['another has its content', ['libs/saga/src/c.ts', 'a'], ['libs/saga/src/c.ts']],
  ])('is not a file where %s', (_why, [path, text], again) => {
    expect(afterwards(filesAsUnits, () => write(path, text))).toEqual(again);
  });

  it('is no file where the settings changed', () => {
    expect(afterwards(filesAsUnits, () => write('.prettierrc.json', '{ }'))).toHaveLength(filesAsUnits(home).length);
  });

  it.each<[string, [string, string], string[]]>([
    ['nothing that it sees changed', ['libs/saga/dist/a.js', 'A'], []],
    ['a file of it changed', ['libs/saga/src/a.ts', 'A'], ['libs/saga']],
    ['a file came to it', ['libs/saga/src/c.ts', 'c'], ['libs/saga']],
    // What is no project sees all of them.
    ['what another says of itself changed', ['libs/saga/dist/a.d.ts', 'says more'], ['apps/api', 'eslint.config.mjs', 'tests']],
    ['the settings changed', ['tsconfig.lint.json', '{ }'], ['apps/api', 'eslint.config.mjs', 'libs/saga', 'libs/sol', 'tests']],
  ])('is a project by what it sees: %s', (_what, [path, text], again) => {
    expect(afterwards(projectsAsUnits, () => write(path, text)).sort()).toEqual(again);
  });

  it('is no project where the arrows between projects changed', () => {
    const graph = { ...GRAPH, dependencies: { ...GRAPH.dependencies, sol: [{ source: 'sol', target: 'saga' }] } };
    const change = (): void => write('.nx/graph.json', JSON.stringify({ graph }));
    expect(afterwards(projectsAsUnits, change)).toHaveLength(projectsAsUnits(home).length);
  });
});
