import { describeDuration } from '@windlass/foundation';
import { table } from '../report.js';
import type { ApiReport, ApiRow } from './api-bench.js';

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function apiText({ machine, runs, lasting, against, rows, memory, wholeLists }: ApiReport): string {
  const names = Object.keys(rows[0]?.sides ?? {});
  const heads = names.map((name) => (against ? `, ${name}` : ''));
  return [
    `A process a service, synced to disk; each load ${describeDuration(lasting)}; medians of ${runs} run${runs === 1 ? '' : 's'}${against ? ', in turns with the other checkout' : ''}.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      [
        'instances',
        'what',
        'at once',
        ...heads.flatMap((head) => [
          `a second${head}`,
          `p50 / p95 (ms)${head}`,
          `processor time (ms): lcm-api / PostgreSQL${head}`,
        ]),
        ...(against ? ['ratio'] : []),
      ],
      ...rows.map((row) => [
        String(row.instances),
        row.what,
        String(row.atOnce),
        ...names.flatMap((name) => figures(row, name)),
        ...(against ? [String(row.ratio ?? '')] : []),
      ]),
    ]),
    '',
    table([
      ['lcm-api, resident (MiB)', 'instances', 'before the loads', 'after them'],
      ...memory.map(({ side, instances, before, after }) => [side, String(instances), before.toFixed(0), after.toFixed(0)]),
    ]),
    '',
    table([
      ['all in one answer (`all_records`)', 'instances', 'status', 'ms', 'MiB', 'lcm-api’s peak before (MiB)', 'after'],
      ...wholeLists.map(({ side, instances, status, milliseconds, mebibytes, peakBefore, peakAfter }) =>
        [side, instances, status, milliseconds, mebibytes, peakBefore.toFixed(0), peakAfter.toFixed(0)].map(String),
      ),
    ]),
    '',
  ].join('\n');
}

function figures({ sides }: ApiRow, name: string): string[] {
  const side = sides[name];
  if (side === undefined) return ['', '', ''];
  const { perSecond, p50, p95, lcmApi, postgres } = side;
  return [
    perSecond === undefined ? '' : String(perSecond),
    `${p50} / ${p95}`,
    lcmApi === undefined ? '' : `${lcmApi} / ${postgres ?? 0}`,
  ];
}
