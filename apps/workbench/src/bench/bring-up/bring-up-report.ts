import { table } from '../report.js';
import type { BringUpReport } from './bring-up-bench.js';

const SSH_HEADS = [
  'nodes at once',
  'connect, log in, look (ms)',
  'a look (ms)',
  'a job (ms)',
  'processor time (ms): a connection',
  'a look and a job',
];

/** The report as a table in Markdown, as it stands in docs/bench.md. */
export function bringUpText({ machine, runs, compression, rows, ssh }: BringUpReport): string {
  const processes = Object.keys(rows[0]?.cpu ?? {});
  return [
    `Hosts whose actions take their time, ${compression} times as quick as real ones; a process a service, synced to disk; medians of ${runs} run${runs === 1 ? '' : 's'}.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      ['masters + workers', 'steps', 'makespan (s)', 'longest chain (s)', 'ratio', `processor time (s): ${processes.join(', ')}`],
      ...rows.map(({ masters, workers, steps, makespanSeconds, longestChainSeconds, ratio, cpu }) => [
        `${masters} + ${workers}`,
        ...[steps, makespanSeconds, longestChainSeconds, ratio].map(String),
        processes.map((name) => ((cpu[name] ?? 0) / 1_000).toFixed(1)).join(', '),
      ]),
    ]),
    '',
    ...(ssh.length === 0
      ? []
      : [
          table([
            SSH_HEADS,
            ...ssh.map((row) => [row.nodes, row.first, row.look, row.job, row.connectionCpu, row.stepCpu].map(String)),
          ]),
          '',
        ]),
  ].join('\n');
}
