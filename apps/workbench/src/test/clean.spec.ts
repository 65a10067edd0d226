import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CleanParts, eachFile, eachProject, type PartsOf } from './clean.js';

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
function afterwards(parts: PartsOf, change: () => void): string[] {
  new CleanParts(join(home, '.nx/cache'), 'check').add(parts(home));
  change();
  return new CleanParts(join(home, '.nx/cache'), 'check').unknown(parts(home)).map(({ path }) => path);
}

describe('what was found clean', () => {
  it('is everything again where nothing changed, also in another checkout', () => {
    for (const parts of [eachFile, eachProject]) {
      expect(parts(home).length).toBeGreaterThan(3);
      expect(afterwards(parts, () => undefined)).toEqual([]);
    }
  });

  it.each<[string, [string, string], string[]]>([
    ['it changed', ['libs/saga/src/a.ts', 'A'], ['libs/saga/src/a.ts']],
    ['it is new', ['libs/saga/src/c.ts', 'c'], ['libs/saga/src/c.ts']],
    ['another has its content', ['libs/saga/src/c.ts', 'a'], ['libs/saga/src/c.ts']],
  ])('is not a file where %s', (_why, [path, text], again) => {
    expect(afterwards(eachFile, () => write(path, text))).toEqual(again);
  });

  it('is no file where the settings changed', () => {
    expect(afterwards(eachFile, () => write('.prettierrc.json', '{ }'))).toHaveLength(eachFile(home).length);
  });

  it.each<[string, [string, string], string[]]>([
    ['nothing that it sees changed', ['libs/saga/dist/a.js', 'A'], []],
    ['a file of it changed', ['libs/saga/src/a.ts', 'A'], ['libs/saga']],
    ['a file came to it', ['libs/saga/src/c.ts', 'c'], ['libs/saga']],
    // What is no project sees all of them.
    ['what another says of itself changed', ['libs/saga/dist/a.d.ts', 'says more'], ['apps/api', 'eslint.config.mjs', 'tests']],
    ['the settings changed', ['tsconfig.lint.json', '{ }'], ['apps/api', 'eslint.config.mjs', 'libs/saga', 'libs/sol', 'tests']],
  ])('is a project by what it sees: %s', (_what, [path, text], again) => {
    expect(afterwards(eachProject, () => write(path, text)).sort()).toEqual(again);
  });

  it.each([
    [
      'the arrows between projects changed',
      { dependencies: { ...GRAPH.dependencies, sol: [{ source: 'sol', target: 'saga' }] } },
    ],
    ['a tag of one changed', { nodes: { ...GRAPH.nodes, sol: { data: { root: 'libs/sol', tags: ['type:app'] } } } }],
  ])('is no project where %s', (_what, changed) => {
    const graph = { ...GRAPH, ...changed };
    const change = (): void => write('.nx/graph.json', JSON.stringify({ graph }));
    expect(afterwards(eachProject, change)).toHaveLength(eachProject(home).length);
  });

  it('is forgotten, but for what is there now, where it has become much', () => {
    const file = join(home, '.nx/cache/clean/check');
    write('.nx/cache/clean/check', Array.from({ length: 50_001 }, (_one, n) => `k${n}\n`).join(''));
    expect(afterwards(eachFile, () => undefined)).toEqual([]);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(eachFile(home).map(({ key }) => key));
  });
});
