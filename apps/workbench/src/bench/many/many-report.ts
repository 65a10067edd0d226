import { table } from '../report.js';
import type { HistorySize } from './history.js';
import type { ManyReport } from './many-bench.js';

const sizeText = ({ instances, occurrences }: HistorySize): string => `${instances} instances, ${occurrences} occurrences`;

/** The report as a table in Markdown, as it stands in docs/bench.md. */
export function manyText({ machine, runs, small, full, rows }: ManyReport): string {
  return [
    `A process a service, synced to disk; medians of ${runs} run${runs === 1 ? '' : 's'} after one that warms up.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      ['milliseconds', sizeText(small), sizeText(full), 'ratio'],
      ...rows.map(({ what, ...figures }) => [what, figures.small, figures.full, figures.ratio].map(String)),
    ]),
    '',
  ].join('\n');
}
