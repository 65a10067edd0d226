/** The counts in a report of the test runner; zeros where it wrote none. */
export interface TestReport {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
}

/** Reads the runner's JSON report. */
export function readReport(text: string): TestReport {
  const report = JSON.parse(text) as Partial<TestReport>;
  return {
    numPassedTests: report.numPassedTests ?? 0,
    numFailedTests: report.numFailedTests ?? 0,
    numFailedTestSuites: report.numFailedTestSuites ?? 0,
  };
}
