import { table } from '../report.js';
import type { StartReport, StartRow } from './start-bench.js';

const figure = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(1));

/** The report as a table in Markdown, as it stands in docs/bench.md. */
export function startText({ machine, runs, oneProcess, idle, first, again }: StartReport): string {
  const row = (what: string, { readySeconds, cpu }: StartRow): string[] => [what, String(readySeconds), (cpu / 1_000).toFixed(1)];
  const privateOfServices = Object.entries(again.processes)
    .filter(([name]) => name !== 'NATS')
    .reduce((sum, [, { private: own = 0 }]) => sum + own, 0);
  return [
    `${oneProcess ? 'All services in one process' : 'A process a service'}, synced to disk; medians of ${runs} start${runs === 1 ? '' : 's'} on a folder that was started on before; memory after ${idle} s without requests.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([['start', 'ready (s)', 'processor time (s)'], row('on an empty folder', first), row('again', again)]),
    '',
    table([
      ['again', 'processor time to ready (ms)', 'private (MiB)', 'resident (MiB)'],
      ...Object.entries(again.processes).map(([name, one]) => [
        name,
        one.cpu.toFixed(0),
        figure(one.private),
        figure(one.resident),
      ]),
      ['**all services**', '', privateOfServices.toFixed(0), ''],
    ]),
    '',
  ].join('\n');
}
