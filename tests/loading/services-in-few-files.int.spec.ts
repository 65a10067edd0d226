import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { NODE_ARGUMENTS, SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const HOME = join(import.meta.dirname, '../..');
const NAMES = SERVICES.map(({ name }) => name);

/** What the image has in few files besides. */
const OF_THE_IMAGE = [
  'command-line=apps/windlass/dist/main.js',
  'reader-thread=apps/lcm-api/dist/packages/reading/reader-thread.js',
];

/** NestJS's pipe of class-validator; another database than PostgreSQL; entities by folders; statements in the form for people. */
const ASKED =
  "\\bValidationPipe\\b|\\btype: '(mysql|mariadb|sqlite|better-sqlite3|sqljs|mssql|oracle|mongodb|cockroachdb|sap|spanner)'|\\b(entities|migrations): \\[?['\"]|\\bformatted-console\\b";

let made: string;
beforeAll(() => {
  // Beside the build's own, at the same depth: places of files beside modules are relative.
  made = mkdtempSync(join(HOME, 'apps/windlass/dist/services-of-a-test-'));
  execFileSync(process.execPath, [join(HOME, 'apps/windlass/build-services.mjs'), made, ...OF_THE_IMAGE], { stdio: 'inherit' });
}, 120_000);
afterAll(() => rmSync(made, { recursive: true, force: true }));

const ask = async (program: string): Promise<string> =>
  (await run(process.execPath, [program, '--help'], { cwd: tmpdir() })).stdout;

it('tells Node.js the same in the image, and so in compose and the chart, as in up', () => {
  const entry = JSON.stringify(['node', ...NODE_ARGUMENTS]).replaceAll(',', ', ');
  expect(readFileSync(join(HOME, 'deploy/images/Dockerfile'), 'utf8')).toContain(`\nENTRYPOINT ${entry}\n`);
});

describe('a service whose program is put into few files', () => {
  it('starts, each of them, and has Node.js load no fetch, whose WebAssembly costs 6 MB, before somebody fetches', async () => {
    const told = join(made, 'told-at-its-end.cjs');
    const words = "process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici'))";
    writeFileSync(told, `process.on('exit', () => console.error(${words} ? 'with fetch' : 'without'));`);
    const ending = async (...program: string[]) => {
      const { stdout, stderr } = await run(process.execPath, ['--require', told, ...program], { cwd: tmpdir() });
      return { help: stdout, loaded: stderr.trim() };
    };
    expect((await ending('--eval', 'new Response()')).loaded).toBe('with fetch');
    const ends = await Promise.all(NAMES.map((service) => ending(join(made, `${service}.js`), '--help')));
    expect(ends.map(({ help }, n) => help.startsWith(`${NAMES[n] ?? ''} `))).toEqual(NAMES.map(() => true));
    expect(ends.map(({ loaded }) => loaded)).toEqual(NAMES.map(() => 'without'));
  });

  it.each(['lcm-api', 'storage-mgmt'])('%s says what it says as the compiler wrote it', async (service) => {
    expect(await ask(join(made, `${service}.js`))).toBe(await ask(join(HOME, 'apps', service, 'dist/main.js')));
  });

  it.each(OF_THE_IMAGE)('is made so for the image, as its Dockerfile says, too: %s', async (program) => {
    const [name = '', file = ''] = program.split('=');
    expect(readFileSync(join(HOME, 'deploy/images/Dockerfile'), 'utf8')).toContain(` ${program}`);
    if (name === 'command-line') expect(await ask(join(made, `${name}.js`))).toBe(await ask(join(HOME, file)));
    else expect(existsSync(join(made, `${name}.js`))).toBe(true);
  });

  it('leaves out what nobody can reach, and no source of ours asks for it', () => {
    const text = readdirSync(made).flatMap((name) => (name.endsWith('.js') ? [readFileSync(join(made, name), 'utf8')] : []));
    const held = (words: RegExp): number => text.filter((one) => words.test(one)).length;
    expect(held(/\bPostgresQueryRunner=class/)).toBeGreaterThan(0);
    expect(
      [
        /\bSapQueryRunner=class/,
        /\bOracleQueryRunner=class/,
        /isPossiblePhoneNumber/,
        /shiftjis\.json/,
        /windows1250/,
        /picomatch/,
        /sqlFormatter/,
      ].map(held),
    ).toEqual([0, 0, 0, 0, 0, 0, 0]);
    const asks = spawnSync('git', ['grep', '-lE', ASKED, '--', 'apps/*.ts', 'libs/*.ts'], { cwd: HOME, encoding: 'utf8' });
    expect(asks.stdout).toBe('');
    expect(asks.status).toBe(1);
  });

  it('has its classes by their names, also where two of a file have the same, and names no function again', () => {
    const text = readdirSync(made).flatMap((name) => (name.endsWith('.js') ? [readFileSync(join(made, name), 'utf8')] : []));
    const classes = text.flatMap((one) => one.match(/\bstatic\{__name\("\w+",this\)\}/g) ?? []);
    expect(classes.length).toBeGreaterThan(1_000);
    const [, helper = ''] = text.map((one) => /var __name=(.+?\)) *,__require=/.exec(one)).find((found) => found !== null) ?? [];
    // What the files call for each class and each function.
    const named = runInNewContext(helper, { __defProp: Object.defineProperty }) as (...given: unknown[]) => unknown;
    const Same2 = class {
      readonly here = true;
    };
    const work = () => 0;
    named('Same', Same2);
    const before = Object.getOwnPropertyDescriptor(work, 'name');
    expect([Same2.name, named(work, 'other'), Object.getOwnPropertyDescriptor(work, 'name')]).toEqual(['Same', work, before]);
  });

  it('shows in traces where our sources are, and nothing of the machine that built it', () => {
    const sources = readdirSync(made)
      .filter((name) => name.endsWith('.map'))
      .flatMap((name) => (JSON.parse(readFileSync(join(made, name), 'utf8')) as { sources: string[] }).sources)
      .filter((source) => source !== '');
    const ours = sources.filter((source) => !source.includes('/node_modules/') && !source.startsWith('left-out:'));
    expect(ours.length).toBeGreaterThan(1_000);
    expect(ours.filter((source) => !/^(?:\.\.\/)+(?:(?:libs\/)?[^/.]+\/)?src\/.*\.ts$/.test(source))).toEqual([]);
  });

  it('finds the files that lie beside its modules', () => {
    const text = readdirSync(made).flatMap((name) => (name.endsWith('.js') ? [readFileSync(join(made, name), 'utf8')] : []));
    const places = text.flatMap((one) => [...one.matchAll(/(?:new URL|__ownFolder)\("((?:\.\.\/){3,}[^"]+)"/g)]);
    const beside = text.flatMap((one) => [...one.matchAll(/new URL\("([^"]+)",new URL\("([^"]+)",import\.meta\.url\)\.href\)/g)]);
    const paths = [
      ...places.map(([, place = '']) => join(made, place)),
      ...beside.map(([, name = '', module = '']) => join(made, dirname(module), name)),
    ];
    expect(beside.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});
