import { relative } from 'node:path';
import type { FileDuration } from './durations-reporter.js';

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

/** How long a suite or a check took, in milliseconds. */
export interface JobDuration {
  name: string;
  took: number;
}

/** How many of the slowest files are told. */
const SLOWEST = 10;

/** Where the time went, a line each: every suite, and the slowest files of all of them. */
export function durationLines(jobs: readonly JobDuration[], files: readonly FileDuration[]): string[] {
  const slowest = [...files].sort((a, b) => b.took - a.took).slice(0, SLOWEST);
  return [
    `time: ${jobs.map(({ name, took }) => `${name} ${inSeconds(took)}`).join(', ')}`,
    ...(slowest.length === 0 ? [] : [slowest.length === 1 ? 'the slowest file:' : `the ${slowest.length} slowest files:`]),
    ...slowest.map(({ file, took }) => `${inSeconds(took).padStart(10)}  ${file}`),
  ];
}

const inSeconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
