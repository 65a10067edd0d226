import { relative } from 'node:path';

/** The counts in a report of the test runner; zeros where it wrote none. */
export interface TestReport {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: {
    /** Path of the file. */
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}

/** Reads the runner's JSON report. */
export function readReport(text: string): TestReport {
  const report = JSON.parse(text) as Partial<TestReport>;
  return {
    numPassedTests: report.numPassedTests ?? 0,
    numFailedTests: report.numFailedTests ?? 0,
    numFailedTestSuites: report.numFailedTestSuites ?? 0,
    testResults: report.testResults ?? [],
  };
}

/** A line for each test, or file without a test, that failed: where, which, and the first line of why. */
export function failedTests({ testResults }: TestReport, home: string): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(home, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages?.[0])}`);
  });
}

const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? '';
