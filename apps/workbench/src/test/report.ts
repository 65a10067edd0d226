import { relative } from 'node:path';
import type { FileRun, TestFailure } from './file-reporter.js';
import type { Suite } from './plan.js';

/** A report of the test runner; nothing in it where it wrote none. */
export interface TestReport {
  testResults: {
    /** Path of the file. */
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}

/** What came of a test file. A file that failed without a failed test (its hooks, its imports) counts as one. */
export interface FileResult {
  suite: Suite;
  file: string;
  passed: number;
  failed: number;
  failures: TestFailure[];
  /** How busy the machine was, where something failed. */
  load?: string;
}

/** Reads the runner's JSON report. */
export const readReport = (text: string): TestReport => ({
  testResults: (JSON.parse(text) as Partial<TestReport>).testResults ?? [],
});

/** What came of each file of a suite: by the runner's own report, and for what failed by our reporter's, which knows the reasons. */
export function resultsOf({ testResults }: TestReport, suite: Suite, home: string, runs: readonly FileRun[] = []): FileResult[] {
  return testResults.map(({ name, status, message, assertionResults }) => {
    const file = relative(home, name);
    const run = runs.find((each) => each.file === file);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const failures: TestFailure[] =
      run?.failures ?? failed.map(({ fullName, failureMessages }) => ({ test: fullName, why: firstLine(failureMessages?.[0]) }));
    if (status === 'failed' && failures.length === 0) failures.push({ test: '', why: firstLine(message) });
    const load = run?.load;
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    return { suite, file, passed, failed: failures.length, failures, ...(load === undefined ? {} : { load }) };
  });
}

export const countsOf = (results: readonly FileResult[]): { passed: number; failed: number } => ({
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.reduce((sum, { failed }) => sum + failed, 0),
});

/** A line for each failure of a file: where, which, and why. */
export const failureLines = ({ suite, file, failures }: FileResult): string[] =>
  failures.map(({ test, why }) => [`${suite}: ${file}`, test, why].filter((part) => part !== '').join(': '));

const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? '';

/** How long a suite or a check took, in milliseconds. */
export interface JobDuration {
  name: string;
  took: number;
}

/** How many of the slowest files are told. */
const SLOWEST = 10;

/** Where the time went, a line each: every suite, and the slowest files of all of them. */
export function durationLines(jobs: readonly JobDuration[], files: readonly FileRun[]): string[] {
  const slowest = [...files].sort((a, b) => b.took - a.took).slice(0, SLOWEST);
  return [
    `time: ${jobs.map(({ name, took }) => `${name} ${inSeconds(took)}`).join(', ')}`,
    ...(slowest.length === 0 ? [] : [slowest.length === 1 ? 'the slowest file:' : `the ${slowest.length} slowest files:`]),
    ...slowest.map(({ file, took }) => `${inSeconds(took).padStart(10)}  ${file}`),
  ];
}

const inSeconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
