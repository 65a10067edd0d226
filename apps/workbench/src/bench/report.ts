import type { RecoveryReport } from './recovery-bench.js';

/** The report of `bench recovery` as a table in Markdown, as it stands in docs/bench.md. */
export function recoveryText({ machine, lease, stackTakes, recoveries }: RecoveryReport): string {
  const inSeconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(2);
  return [
    `Lease ${lease}; each stack takes ${inSeconds(stackTakes)} s; ${recoveries[0]?.times.length ?? 0} runs each; a process a service, synced to disk.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      ['kill -9 of', 'median (s)', 'max (s)', 'all runs (s)'],
      ...recoveries.map(({ killed, times, median, max }) => [
        killed,
        inSeconds(median),
        inSeconds(max),
        times.map(inSeconds).join(', '),
      ]),
    ]),
    '',
  ].join('\n');
}

/** A table in Markdown; the first row is its head. */
export function table([head = [], ...rows]: string[][]): string {
  const all = [head, ...rows];
  const widths = head.map((_one, column) => Math.max(...all.map((row) => row[column]?.length ?? 0), 3));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}
