import { describe, expect, it } from 'vitest';
import { failedTests, readReport } from './test-report.js';

const test = (fullName: string, status: string, ...failureMessages: string[]) => ({ fullName, status, failureMessages });

describe('the list of failed tests', () => {
  const report = readReport(
    JSON.stringify({
      numPassedTests: 1,
      numFailedTests: 1,
      numFailedTestSuites: 2,
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

  it('names the file, the test and the first line of the reason', () => {
    expect(failedTests(report, '/home/w')).toEqual([
      'libs/a.spec.ts: resumes after a crash: Error: lost',
      'libs/b.spec.ts: waited 10 s',
    ]);
  });

  it('is empty where the runner wrote no report', () => {
    expect(failedTests(readReport('{}'), '/home/w')).toEqual([]);
  });
});
