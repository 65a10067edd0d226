import { describe, expect, it } from 'vitest';
import { countsOf, durationLines, failureLines, readReport, resultsOf } from './report.js';

const test = (fullName: string, status: string, ...failureMessages: string[]) => ({ fullName, status, failureMessages });

describe('what came of test files', () => {
  const report = readReport(
    JSON.stringify({
      testResults: [
        {
          name: '/home/w/libs/a.spec.ts',
          status: 'failed',
          message: '',
          assertionResults: [test('is well', 'passed'), test('resumes after a crash', 'failed', 'Error: lost\n    at line 1')],
        },
        { name: '/home/w/libs/b.spec.ts', status: 'failed', message: 'waited 10 s\nfor sshd', assertionResults: [] },
        { name: '/home/w/libs/c.spec.ts', status: 'passed', message: '', assertionResults: [test('is well', 'passed')] },
      ],
    }),
  );

  const results = resultsOf(report, 'int', '/home/w', [{ file: 'libs/a.spec.ts', took: 1, load: 'load 5.1' }]);

  it('names the suite, the file, the test and the first line of the reason', () => {
    expect(results.flatMap(failureLines)).toEqual([
      'int: libs/a.spec.ts: resumes after a crash: Error: lost',
      'int: libs/b.spec.ts: waited 10 s',
    ]);
  });

  it('counts a file that failed without a test, and says how busy the machine was', () => {
    expect(countsOf(results)).toEqual({ passed: 2, failed: 2 });
    expect(results.map(({ load }) => load)).toEqual(['load 5.1', undefined, undefined]);
  });

  it('is empty where the runner wrote no report', () => {
    expect(resultsOf(readReport('{}'), 'int', '/home/w')).toEqual([]);
  });
});

describe('where the time went', () => {
  it('is told by suite, and by file for the ten slowest of all suites', () => {
    const files = Array.from({ length: 12 }, (_one, n) => ({ file: `f${n}.spec.ts`, took: n * 1_000 }));
    const lines = durationLines(
      [
        { name: 'checks', took: 2_000 },
        { name: 'unit', took: 61_234 },
      ],
      files,
    );
    expect(lines).toHaveLength(12);
    expect(lines.slice(0, 3)).toEqual(['time: checks 2.0 s, unit 61.2 s', 'the 10 slowest files:', '    11.0 s  f11.spec.ts']);
    expect(lines.at(-1)).toBe('     2.0 s  f2.spec.ts');
  });
});
