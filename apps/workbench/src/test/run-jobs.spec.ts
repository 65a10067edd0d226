import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countsOf } from './report.js';
import { runJobs } from './run-jobs.js';

/** In the place of vitest: a runner of one file, whose test fails in the runs that `red` names. Each run leaves its arguments. */
const RUNNER = `#!/usr/bin/env node
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
const run = readdirSync('runs').length + 1;
writeFileSync('runs/' + run, args.join(' '));
const failed = JSON.parse(readFileSync('red', 'utf8')).includes(run);
const report = args.find((arg) => arg.startsWith('--outputFile.json=')).slice('--outputFile.json='.length);
const test = { fullName: 'ends', status: failed ? 'failed' : 'passed', failureMessages: failed ? ['Error: late'] : [] };
const result = { name: process.cwd() + '/tests/a.int.spec.ts', status: test.status, assertionResults: [test] };
writeFileSync(report, JSON.stringify({ testResults: [result] }));
process.exit(failed ? 1 : 0);
`;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'windlass-run-jobs-'));
  for (const folder of ['node_modules/.bin', 'runs']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, 'node_modules/.bin/vitest'), RUNNER, { mode: 0o755 });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true });
});

const run = (red: number[]) => {
  writeFileSync(join(home, 'red'), JSON.stringify(red));
  return runJobs(home, { checks: false, files: new Map([['int', ['tests/a.int.spec.ts']]]) });
};
const runs = (): number => readdirSync(join(home, 'runs')).length;

describe('a file that fails', () => {
  it('the first time alone is flaky, and counts as passed', async () => {
    const { results, flaky, others } = await run([1]);
    expect(runs()).toBe(2);
    expect(countsOf(results)).toEqual({ passed: 1, failed: 0 });
    expect(flaky).toMatchObject([{ file: 'tests/a.int.spec.ts', failures: [{ test: 'ends', why: 'Error: late' }] }]);
    expect(others).toEqual([]);
  });

  it('twice is red', async () => {
    const { results, flaky } = await run([1, 2]);
    expect(runs()).toBe(2);
    expect(countsOf(results)).toEqual({ passed: 0, failed: 1 });
    expect(flaky).toEqual([]);
  });

  it('never is run once', async () => {
    expect(countsOf((await run([])).results)).toEqual({ passed: 1, failed: 0 });
    expect(runs()).toBe(1);
    expect(existsSync(join(home, 'test-results'))).toBe(true);
  });
});
