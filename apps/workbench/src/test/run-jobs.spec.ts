import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  return runJobs(home, join(home, 'cache'), { checks: false, files: new Map([['int', ['tests/a.int.spec.ts']]]) });
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

it('a run that is told to end begins nothing more: no other suite, and no second try', async () => {
  const ended = new AbortController();
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    if (String(text).includes('== int ==')) ended.abort('SIGTERM');
    return true;
  });
  writeFileSync(join(home, 'red'), '[1]');
  const files = new Map([
    ['int' as const, ['tests/a.int.spec.ts']],
    ['e2e' as const, ['tests/a.e2e.spec.ts']],
  ]);
  const { results } = await runJobs(home, join(home, 'cache'), { checks: false, files }, ended.signal);
  expect(runs()).toBe(1);
  expect(countsOf(results).failed).toBe(1);
});

describe('a check', () => {
  /** Keeps what it was given each time; its result is that of the file `unclean`. */
  const PRETTIER = `#!/usr/bin/env node
const { appendFileSync, existsSync } = require('node:fs');
appendFileSync('given', process.argv.slice(2).filter((arg) => arg.endsWith('.ts')).join(' ') + '\\n');
process.exit(existsSync('unclean') ? 1 : 0);
`;
  const put = (path: string, text = '{}'): void => writeFileSync(join(home, path), text);
  const check = async (): Promise<boolean | undefined> =>
    (await runJobs(home, join(home, 'cache'), { checks: true })).checks.find(({ name }) => name.includes('prettier'))?.passed;

  beforeEach(() => {
    execFileSync('git', ['init', '-q'], { cwd: home });
    for (const folder of ['.nx', 'libs', 'apps', 'tests']) mkdirSync(join(home, folder));
    for (const name of ['nx', 'eslint', 'tsc', 'depcruise', 'prettier'])
      writeFileSync(join(home, 'node_modules/.bin', name), name === 'prettier' ? PRETTIER : '#!/bin/sh\n', { mode: 0o755 });
    put('.gitignore', '*\n!*.ts\n');
    put('.nx/graph.json', '{"graph":{"nodes":{},"dependencies":{}}}');
    for (const path of ['.prettierrc.json', '.prettierignore', 'package-lock.json', 'tests/medians.json']) put(path);
    for (const path of ['eslint.config.mjs', 'tsconfig.base.json', 'tsconfig.lint.json', 'a.ts', 'b.ts']) put(path);
  });

  it('leaves out what it found clean until that changes, and looks again at what it found unclean', async () => {
    expect(await check()).toBe(true);
    put('a.ts', 'changed');
    put('unclean');
    expect(await check()).toBe(false);
    rmSync(join(home, 'unclean'));
    expect(await check()).toBe(true);
    expect(await check()).toBe(true);
    expect(readFileSync(join(home, 'given'), 'utf8')).toBe('a.ts b.ts\na.ts\na.ts\n');
  });
});
