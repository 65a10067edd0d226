import { untilStopSignal, type Surroundings } from '@windlass/windlass/command-line';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** What every bench is given. */
export interface Measuring {
  /** Tells a line of progress. */
  say: (line: string) => void;
  /** Aborted when somebody stops the bench. */
  signal: AbortSignal;
}

/**
 * Measures, writes the figures to a file where one is named, and prints them. A bench that somebody stops cleans up, says so in one line, and
 * ends with the status of a program that this signal ended (130, 143); nothing is printed of what it had measured.
 */
export async function showReport<Report>(
  where: Pick<Surroundings, 'calledFrom'>,
  json: string | undefined,
  measure: (measuring: Measuring) => Promise<Report>,
  textOf: (report: Report) => string,
): Promise<void> {
  const { signal, status, release } = untilStopSignal();
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    const report = await measure({ say, signal });
    if (json !== undefined) await writeFile(resolve(where.calledFrom, json), `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(textOf(report));
  } catch (error) {
    if (!signal.aborted) throw error;
    say('stopped; what the bench had started is ended');
    process.exitCode = status();
  } finally {
    release();
  }
}
