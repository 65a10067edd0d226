import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const HOME = resolve(import.meta.dirname, '../..');
const SPECS = {
  server: `it('x', () => { http.Server.prototype.emit = () => true; });`,
  variable: `it('x', () => { process.env.LEFT = 'here'; });`,
  clock: `it('x', () => void vi.useFakeTimers());`,
  spy: `it('x', () => void vi.spyOn(process.stdout, 'write').mockReturnValue(true));`,
  tidy: `it('x', () => { vi.stubEnv('LEFT', 'elsewhere'); vi.spyOn(fs, 'statSync'); vi.unstubAllEnvs(); vi.restoreAllMocks(); });`,
};

let home: string;
let messages: Record<string, string>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'windlass-leaves-nothing-'));
  mkdirSync(join(home, 'specs'));
  symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'));
  const config = { test: { setupFiles: [join(import.meta.dirname, 'leaves-nothing.ts')] } };
  writeFileSync(join(home, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  const head = `import fs from 'node:fs';\nimport http from 'node:http';\nimport { it, vi } from 'vitest';\n`;
  for (const [name, text] of Object.entries(SPECS)) writeFileSync(join(home, `specs/${name}.spec.ts`), `${head}${text}\n`);
  const vitest = spawn(
    join(HOME, 'node_modules/.bin/vitest'),
    ['run', '--root', home, '--maxWorkers=1', '--reporter=json', `--outputFile.json=${home}/report`],
    { cwd: home, stdio: 'ignore' },
  );
  await new Promise((ended) => vitest.once('close', ended));
  const { testResults } = JSON.parse(readFileSync(join(home, 'report'), 'utf8')) as {
    testResults: { name: string; message: string }[];
  };
  messages = Object.fromEntries(testResults.map(({ name, message }) => [basename(name, '.spec.ts'), message]));
});
afterAll(() => rmSync(home, { recursive: true }));

it.each([
  ['server', 'http.Server.prototype.emit'],
  ['variable', 'process.env.LEFT'],
  ['clock', 'the fake timers'],
  ['spy', 'process.stdout.write'],
])('a file that leaves a %s changed fails by that', (name, left) => {
  expect(messages[name]).toMatch(new RegExp(`this one leaves changed: .*${left.replaceAll('.', String.raw`\.`)}`));
});

it('a file that takes back what it changed does not', () => {
  expect(messages.tidy).toBe('');
});
