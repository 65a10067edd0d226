import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../deploy/images/slim.mjs');
const loaded = [
  'typeorm/index.js',
  'typeorm/package.json',
  'a/b.mjs',
  'a/data.json',
  '@nestjs/x/y.node',
  'swagger-ui-dist/swagger-ui.css',
];
const lawful = ['a/LICENSE.md', 'a/NOTICE.md', 'b/COPYING', 'c/Licence.txt'];
const left = [
  ...[
    'typeorm/browser/index.js',
    'rxjs/src/index.js',
    '@types/node/index.js',
    'a/b.mjs.map',
    'a/b.d.ts',
    'a/b.d.mts',
    'a/README.md',
  ],
  ...['swagger-ui-dist/swagger-ui-es-bundle-core.js', 'a/tsconfig.json'],
];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-slim-'));
  for (const file of [...loaded, ...lawful, ...left]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'x'.repeat(100_000));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it('leaves out of packages what no service loads, says how much that is, and keeps code, data and licences', () => {
  const said = execFileSync(process.execPath, [script, folder], { encoding: 'utf8' });
  expect(said).toMatch(new RegExp(`^${(left.length / 10).toFixed(1)} MB`));
  for (const file of [...loaded, ...lawful]) expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
  for (const file of left) expect([file, existsSync(join(folder, file))]).toEqual([file, false]);
  expect(readdirSync(join(folder, 'typeorm')).sort()).toEqual(['index.js', 'package.json']);
});
