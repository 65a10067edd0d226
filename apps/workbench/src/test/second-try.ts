import type { FileResult } from './report.js';

/** More red files than these are no chance: nothing is tried again. */
export const MOST_RED_FILES = 5;

/** Milliseconds that all second tries together may take. */
export const SECOND_TRIES_TAKE = 180_000;

/** What a run knows after the second tries. */
export interface Verdict {
  /** Each file's result: the second one where it was tried twice and stayed red. */
  results: FileResult[];
  /** What failed first, of files that were green the second time. */
  flaky: FileResult[];
}

/** Runs one file by itself, within so many milliseconds. Undefined where it did not end in time, or told nothing. */
export type RunAlone = (result: FileResult, within: number) => Promise<FileResult | undefined>;

/**
 * Tries each red file once more, alone, after everything else: chance is told from what is broken. A failure of that try counts; a finding of a judge is
 * never excused, for what is lost, doubled, leaked or shown once is a defect even if it is not so twice.
 */
export async function trySecond(
  results: readonly FileResult[],
  runAlone: RunAlone,
  now: () => number = () => performance.now(),
): Promise<Verdict> {
  const red = results.filter(({ failed }) => failed > 0);
  if (red.length === 0 || red.length > MOST_RED_FILES) return { results: [...results], flaky: [] };
  const until = now() + SECOND_TRIES_TAKE;
  const flaky: FileResult[] = [];
  const after = new Map<FileResult, FileResult>();
  for (const first of red) {
    const left = until - now();
    if (left <= 0 || isJudgesFinding(first)) continue;
    const second = await runAlone(first, left);
    if (second === undefined) continue;
    after.set(first, second);
    if (second.failed === 0 && second.passed > 0) flaky.push(first);
  }
  return { results: results.map((result) => after.get(result) ?? result), flaky };
}

/** Whether one of the failures says that something was lost, doubled, leaked or shown: in the crash points every failure but of somebody who waited for too long. */
export const isJudgesFinding = ({ file, failures }: FileResult): boolean =>
  file.startsWith('tests/crash-points/') && failures.some(({ why }) => !/\btimed out\b|\bwaited \d/.test(why));
