import type { EngineReport } from './engine-bench.js';
import type { RecoveryReport } from './recovery-bench.js';
import type { Round } from './round.js';

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function reportText(report: EngineReport): string {
  const { machine, medians, memory, oneProcess, durable, stacks, runs, idlePerSecond } = report;
  const heads = medians.map(({ atOnce, mostUnderWay }) =>
    report.every > 0 ? `${atOnce}, one each ${report.every} ms, ${mostUnderWay} together` : `${atOnce} at once`,
  );
  const row = (name: string, figure: (round: Round) => string | number): string[] => [
    name,
    ...medians.map((round) => String(figure(round))),
  ];
  return [
    `${oneProcess ? 'All services in one process' : 'A process a service'}, ${durable ? 'synced to disk' : 'without syncs to disk'}; stacks ${stacksText(stacks, report.stackTakes)}; medians of ${runs} run${runs === 1 ? '' : 's'}.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      ['instantiations', ...heads],
      row('a second', (round) => round.operationsPerSecond),
      row('POST to COMPLETED, p50 / p95 (ms)', ({ postToCompleted: { p50, p95 } }) => pair(p50, p95)),
      row('accepted to planned, p50 / p95 (ms)', ({ acceptedToPlanned: { p50, p95 } }) => pair(p50, p95)),
      row('engine’s own time a step, p50 / p95 (ms)', ({ ownTime: { total } }) => pair(total.p50, total.p95)),
      row('… of it before the claim', ({ ownTime: { before } }) => pair(before.p50, before.p95)),
      row('… of it within the step', ({ ownTime: { around } }) => pair(around.p50, around.p95)),
      row('PostgreSQL transactions an operation', (round) => round.perOperation.transactions),
      row('… of them writing', (round) => round.perOperation.writes),
      row('NATS messages sent / delivered an operation', ({ perOperation: { sent, delivered } }) => pair(sent, delivered)),
    ]),
    '',
    table([
      ['processor time an operation (ms)', ...heads],
      ...Object.keys(memory).map((name) => row(name, (round) => round.cpuPerOperation[name] ?? '')),
    ]),
    '',
    table([
      ['memory after the last round (MiB)', 'resident', 'peak'],
      ...Object.entries(memory).map(([name, { resident, peak }]) => [name, resident.toFixed(0), peak.toFixed(0)]),
      ['**all services**', `**${report.servicesResidentMiB.toFixed(0)}**`, ''],
    ]),
    '',
    `When nothing happens, a second has ${idlePerSecond.transactions} transactions (${idlePerSecond.writes} writing) and ${idlePerSecond.sent} messages sent; that is taken off.`,
    '',
  ].join('\n');
}

const stacksText = (stacks: EngineReport['stacks'], takes: number): string =>
  (stacks === 'instant' ? 'complete at once' : 'of 0.1 s a step') + (takes > 0 ? `, after ${takes / 1_000} s` : '');

/** The same for `bench recovery`. */
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

const pair = (one: number, other: number): string => `${one} / ${other}`;

/** A table in Markdown; the first row is its head. */
export function table([head = [], ...rows]: string[][]): string {
  const all = [head, ...rows];
  const widths = head.map((_one, column) => Math.max(...all.map((row) => row[column]?.length ?? 0), 3));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}
