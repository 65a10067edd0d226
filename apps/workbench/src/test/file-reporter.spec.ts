import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRun } from './file-reporter.js';
import { readReport, resultsOf } from './report.js';

const HOME = resolve(import.meta.dirname, '../../../..');
const SPECS = {
  'late.spec.ts': `it('ends in time', () => new Promise(() => undefined), 50);`,
  'wrong.spec.ts': `describe('one', () => it('is > two', () => expect(1, 'of > two').toBe(2)));`,
  'uncaught.spec.ts': `it('is well', () => new Promise((done) => { setTimeout(() => { done(); throw new TypeError('later'); }, 1); }));`,
  'hook.spec.ts': `beforeAll(() => { throw new Error('sshd is not up'); }); it('is well', () => undefined);`,
  'well.spec.ts': `it('is well', () => undefined);`,
};

describe('the real runner, whose files fail', () => {
  let home: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'windlass-file-reporter-'));
    mkdirSync(join(home, 'specs'));
    symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'));
    for (const [name, text] of Object.entries(SPECS))
      writeFileSync(join(home, 'specs', name), `import { beforeAll, describe, expect, it } from 'vitest';\n${text}\n`);
    const vitest = spawn(
      join(HOME, 'node_modules/.bin/vitest'),
      [
        ...['run', '--root', home, '--maxWorkers=1', '--reporter=json', `--outputFile.json=${home}/report`],
        ...[`--reporter=${join(import.meta.dirname, 'file-reporter.ts')}`, `--outputFile.files=${home}/files`],
      ],
      { cwd: home, stdio: 'ignore' },
    );
    await new Promise((ended) => vitest.once('close', ended));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('names the reason of each, also of a test that took too long and of an error that nobody caught', () => {
    const runs = JSON.parse(readFileSync(join(home, 'files'), 'utf8')) as FileRun[];
    const results = resultsOf(readReport(readFileSync(join(home, 'report'), 'utf8')), 'unit', home, runs);
    const told = Object.fromEntries(results.map(({ file, failures }) => [file, failures]));
    expect(told).toEqual({
      'specs/late.spec.ts': [{ test: 'ends in time', why: 'Error: Test timed out in 50ms.' }],
      'specs/wrong.spec.ts': [{ test: 'one is two', why: 'AssertionError: of > two: expected 1 to be 2 // Object.is equality' }],
      'specs/uncaught.spec.ts': [{ test: '', why: 'nobody caught TypeError: later' }],
      'specs/hook.spec.ts': [{ test: '', why: 'sshd is not up' }],
      'specs/well.spec.ts': [],
    });
    expect(results.map(({ failed, passed }) => failed + passed)).toEqual([1, 1, 2, 1, 1]);
  });
});
