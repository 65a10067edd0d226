import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const HOME = join(import.meta.dirname, '..');
const LIST = join(import.meta.dirname, 'folder-pairs.json');

/** Pairs of folders of one project that import each other today, as `tools/folder-arrows.mjs` measures them. */
const today = execFileSync(process.execPath, [join(HOME, 'tools/folder-arrows.mjs'), '--pairs'], { encoding: 'utf8' })
  .split('\n')
  .filter((line) => line !== '');

if (process.env.UPDATE_FOLDERS === '1') writeFileSync(LIST, `${JSON.stringify(today, null, 2)}\n`);
const known = JSON.parse(readFileSync(LIST, 'utf8')) as string[];

it('no two folders of a project come to import each other: put what both need below them', () => {
  expect(today.filter((pair) => !known.includes(pair))).toEqual([]);
});

it('the list has no pair that is gone: UPDATE_FOLDERS=1 npx vitest run --project unit tests/folders.spec.ts', () => {
  expect(known.filter((pair) => !today.includes(pair))).toEqual([]);
});

it('libs/lifecycle stands on floors: none of its folders imports one that imports it', () => {
  expect(today.filter((pair) => pair.startsWith('libs/lifecycle:'))).toEqual([]);
});
