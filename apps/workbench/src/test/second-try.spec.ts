import { describe, expect, it } from 'vitest';
import type { FileResult } from './report.js';
import { isJudgesFinding, MOST_RED_FILES, SECOND_TRIES_TAKE, trySecond, type RunAlone } from './second-try.js';

const result = (file: string, ...whys: string[]): FileResult => ({
  suite: 'int',
  file,
  passed: 2,
  failed: whys.length,
  failures: whys.map((why) => ({ test: 'is well', why })),
});
const RED = 'AssertionError: expected 1 to be 2';
const green: RunAlone = ({ file }) => Promise.resolve({ ...result(file), passed: 3 });

describe('a file that failed', () => {
  it('is run once more, and counts as that second run does: green is flaky', async () => {
    const tried: string[] = [];
    const all = [result('a'), result('b', RED)];
    const { results, flaky } = await trySecond(all, (first, within) => {
      tried.push(first.file);
      return green(first, within);
    });
    expect(tried).toEqual(['b']);
    expect(results).toEqual([result('a'), { ...result('b'), passed: 3 }]);
    expect(flaky).toEqual([result('b', RED)]);
  });

  it.each<[string, RunAlone]>([
    ['red again', ({ file }) => Promise.resolve(result(file, RED))],
    ['not at its end in time', () => Promise.resolve(undefined)],
    ['without a test', ({ file }) => Promise.resolve({ ...result(file), passed: 0 })],
  ])('stays what it was where it is %s', async (_what, runAlone) => {
    const { results, flaky } = await trySecond([result('b', RED)], runAlone);
    expect(flaky).toEqual([]);
    expect(results).toHaveLength(1);
    expect(results[0]?.passed === 0 || results[0]!.failed > 0).toBe(true);
  });

  it('is not run again where more failed than chance explains', async () => {
    const many = Array.from({ length: MOST_RED_FILES + 1 }, (_one, n) => result(`f${n}`, RED));
    expect(await trySecond(many, green)).toEqual({ results: many, flaky: [] });
    expect((await trySecond(many.slice(1), green)).flaky).toHaveLength(MOST_RED_FILES);
  });

  it('is not run again where the time for that is over', async () => {
    let now = 0;
    const left: number[] = [];
    const { flaky } = await trySecond(
      [result('a', RED), result('b', RED), result('c', RED)],
      (first, within) => {
        left.push(within);
        now += SECOND_TRIES_TAKE * 0.6;
        return green(first, within);
      },
      () => now,
    );
    expect(left).toEqual([SECOND_TRIES_TAKE, SECOND_TRIES_TAKE * 0.4]);
    expect(flaky.map(({ file }) => file)).toEqual(['a', 'b']);
  });

  it('is never excused for what a judge found, but for waiting too long', async () => {
    const found = result('tests/crash-points/one.int.spec.ts', 'Error: 1 leaked: the VIM has stack a');
    expect((await trySecond([found], green)).flaky).toEqual([]);
    expect(isJudgesFinding(result('tests/crash-points/one.spec.ts', 'Error: 1 of 158 points:'))).toBe(true);
    expect(isJudgesFinding(result('tests/crash-points/one.spec.ts', 'Error: Test timed out in 60000ms.'))).toBe(false);
    expect(isJudgesFinding(result('tests/crash-points/one.spec.ts', 'TransientError: waited 60 s for the end'))).toBe(false);
    expect(isJudgesFinding(result('tests/hazards/one.spec.ts', RED))).toBe(false);
    // Parts of the chaos suite have unit specs; the suite itself is never tried again (run-jobs.ts).
    expect(isJudgesFinding(result('tests/chaos/workload/gone-vnfcs.spec.ts', RED))).toBe(false);
  });
});
