import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestFailure } from './file-reporter.js';
import type { FileResult } from './report.js';

/** A file that failed and was green when it was run once more, alone. A line of the record. */
export interface Sighting {
  /** ISO 8601. */
  at: string;
  suite: string;
  file: string;
  failures: TestFailure[];
  load?: string;
}

/** The record of flaky tests on this machine: every sighting, of all checkouts. */
const recordIn = (cache: string): string => join(cache, 'flaky.jsonl');

/** So often seen, it is named at the end of each run. */
const OFTEN = 3;

export async function recordFlaky(cache: string, results: readonly FileResult[], at = new Date()): Promise<void> {
  if (results.length === 0) return;
  const lines = results.map(({ suite, file, failures, load }): Sighting => ({
    at: at.toISOString(),
    suite,
    file,
    failures,
    ...(load === undefined ? {} : { load }),
  }));
  await mkdir(cache, { recursive: true });
  await appendFile(recordIn(cache), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

export async function sightings(cache: string): Promise<Sighting[]> {
  const text = await readFile(recordIn(cache), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Sighting]));
}

/** The sightings of each file, most first. */
function byFile(seen: readonly Sighting[]): [file: string, sightings: Sighting[]][] {
  const files = new Map<string, Sighting[]>();
  for (const one of seen) files.set(one.file, [...(files.get(one.file) ?? []), one]);
  return [...files].sort(([, a], [, b]) => b.length - a.length);
}

/** What `test --flaky` prints: each file with its count, and its sightings. */
export function flakyTable(seen: readonly Sighting[]): string[] {
  if (seen.length === 0) return ['no flaky test was seen on this machine'];
  return byFile(seen).flatMap(([file, of]) => [
    `${String(of.length).padStart(4)}  ${file}`,
    ...of.flatMap(({ at, load = 'load unknown', failures }) =>
      failures.map(({ test, why }) => `      ${at}  ${load}  ${test}: ${why}`),
    ),
  ]);
}

/** Files that were seen often: a line, or none. */
export function oftenFlaky(seen: readonly Sighting[]): string[] {
  const often = byFile(seen).filter(([, of]) => of.length >= OFTEN);
  if (often.length === 0) return [];
  const named = often.map(([file, of]) => `${file} (${of.length})`).join(', ');
  return [`flaky ${OFTEN} times and more on this machine, look for the cause (./windlass test --flaky): ${named}`];
}

/** A line for each failure that a second try has excused. */
export const flakyLines = ({ suite, file, failures, load = 'load unknown' }: FileResult): string[] =>
  failures.map(({ test, why }) => `FLAKY  ${suite} ${file}: ${test}: ${why} (${load})`);
