import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACTIONS } from './actions.js';

const HERE = import.meta.dirname;
const README = readFileSync(join(HERE, '../README.md'), 'utf8');

/** The first column of a table. */
const column = (heading: string): string[] => {
  const [, section = ''] = README.split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
};

const floors = column('Floors');
const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !/(^|\/)testing\//.test(file),
);

/** Imports of other files, those of types too. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join(HERE, file), 'utf8').matchAll(/(?:from|import) '(\.[^']+)\.js'/g)].map(([, to = '']) =>
    normalize(join(dirname(file), `${to}.ts`)),
  );

describe('the README', () => {
  it('names files that are there', () => {
    const named = [...README.matchAll(/`([a-z][a-z/-]*\.(?:[a-z]+\.)?ts)`/g)].map(([, file = '']) => file.replace(/^src\//, ''));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((file) => file !== 'join-worker.action.ts' && !existsSync(join(HERE, file)))).toEqual([]);
  });

  it('says where a master is healed', () => {
    const [, files = ''] = /^\|.*\*\*a master\*\*.*?\| (.*?) \|/m.exec(README) ?? [];
    expect(readFileSync(join(HERE, /`([^`]+)`/.exec(files)?.[1] ?? ''), 'utf8')).toMatch(/outOfEtcd/);
  });

  it('has every folder in its table of floors, once', () => {
    expect([...floors].sort()).toEqual([...new Set(files.map((file) => dirname(file)))].sort());
  });
});

describe('a file', () => {
  it('imports from its own folder and from those below it', () => {
    const up = files.flatMap((file) =>
      importsOf(file)
        .filter((to) => floors.indexOf(dirname(to)) < floors.indexOf(dirname(file)))
        .map((to) => `${file} -> ${to}`),
    );
    expect(up).toEqual([]);
  });

  it.each(files.filter((file) => file.endsWith('.action.ts')))('of one action has its name, and is in the list: %s', (file) => {
    const names = [...readFileSync(join(HERE, file), 'utf8').matchAll(/declared(?:<.*>)?\('([a-z-]+)'\)/g)].map(
      ([, name]) => name,
    );
    expect(names).toEqual([relative(dirname(file), file).replace('.action.ts', '')]);
    expect(ACTIONS.filter(({ name }) => name === names[0])).toHaveLength(1);
  });
});
