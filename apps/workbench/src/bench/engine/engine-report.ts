import type { EngineReport, SideReport } from './engine-bench.js';
import type { Both } from './engine-side.js';
import type { Figures } from './round.js';
import { table } from '../report.js';
import type { TimeSpent } from '../profile/self-time.js';

/** So much of a statement stands in a table. */
const TEXT = 110;

/** So many places of a service are shown; a profile has them all. */
const PLACES = 14;

/** A service that takes less than this, in milliseconds an operation, has no table of where. */
const LITTLE = 0.5;

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function reportText(report: EngineReport): string {
  const { machine, oneProcess, durable, runs, warmUp, imageStays, before, nodeOptions } = report;
  return [
    `${oneProcess ? 'All services in one process' : 'A process a service'}, ${durable ? 'synced to disk' : 'without syncs to disk'}${nodeOptions === undefined ? '' : `, Node.js with ${nodeOptions}`}; ${vimText(report)}; ${warmUp} instances before${imageStays ? ', the image of the package there in each round' : ''}; medians of ${runs} run${runs === 1 ? '' : 's'}${before === undefined ? '' : ', in turns with the other checkout'}.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    ...sideText(report, report),
    ...(before === undefined ? [] : ['The other checkout:', '', ...sideText(before, report), ...ratioText(report)]),
  ].join('\n');
}

const vimText = ({ vim, stacks, stackTakes }: EngineReport): string =>
  `${vim === 'cheap' ? 'on the cheap VIM' : 'on the emulator'}, stacks ${stacks === 'instant' ? 'complete at once' : 'of 0.1 s a step'}${stackTakes > 0 ? `, after ${stackTakes / 1_000} s` : ''}`;

function sideText(side: SideReport, { every }: EngineReport): string[] {
  const { medians, memory, servicesResidentMiB, servicesPrivateMiB, operations, idlePerSecond, messages, profiles } = side;
  const heads = medians.map(({ atOnce, mostUnderWay }) =>
    every > 0 ? `${atOnce}, one each ${every} ms, ${mostUnderWay} together` : `${atOnce} at once`,
  );
  const most = medians.reduce((one, other) => (other.atOnce > one.atOnce ? other : one));
  const names = Object.keys(memory);
  return [
    ...figuresText('instantiations', heads, medians, names),
    ...figuresText(
      'terminations',
      heads,
      medians.map(({ termination }) => termination),
      names,
    ),
    table([
      [`memory after the last round, ${operations} operations (MiB)`, 'private', 'resident', 'peak'],
      ...Object.entries(memory).map(([name, { private: own, resident, peak }]) => [
        name,
        own?.toFixed(0) ?? '',
        resident.toFixed(0),
        peak.toFixed(0),
      ]),
      ['**all services**', `**${servicesPrivateMiB.toFixed(0)}**`, `**${servicesResidentMiB.toFixed(0)}**`, ''],
    ]),
    '',
    ...statementsText(`an instantiation’s dearest statements, ${most.atOnce} at once`, most),
    ...statementsText(`a termination’s dearest statements, ${most.atOnce} at once`, most.termination),
    ...bothText('requests to the VIM an operation', { instantiation: most.requests, termination: most.termination.requests }),
    ...bothText('NATS messages an operation', messages),
    ...(profiles === undefined ? [] : profilesText(profiles, most.atOnce)),
    `When nothing happens, a second has ${idlePerSecond.transactions} transactions (${idlePerSecond.writes} writing), ${idlePerSecond.statements} statements and ${idlePerSecond.sent} messages sent; that is taken off.`,
    '',
  ];
}

function figuresText(what: string, heads: string[], all: readonly Figures[], processes: readonly string[]): string[] {
  const row = (name: string, figure: (figures: Figures) => string | number): string[] => [
    name,
    ...all.map((figures) => String(figure(figures))),
  ];
  return [
    table([
      [what, ...heads],
      row('a second', (figures) => figures.operationsPerSecond),
      row('requests told to come again', ({ toldToComeAgain }) => toldToComeAgain),
      row('POST to COMPLETED, p50 / p95 (ms)', ({ postToCompleted: { p50, p95 } }) => pair(p50, p95)),
      row('accepted to planned, p50 / p95 (ms)', ({ acceptedToPlanned: { p50, p95 } }) => pair(p50, p95)),
      row('engine’s own time a step, p50 / p95 (ms)', ({ ownTime: { total } }) => pair(total.p50, total.p95)),
      row('… of it before the claim', ({ ownTime: { before } }) => pair(before.p50, before.p95)),
      row('… of it within the step', ({ ownTime: { around } }) => pair(around.p50, around.p95)),
      row('PostgreSQL transactions an operation', ({ perOperation }) => perOperation.transactions),
      row('… of them writing', ({ perOperation }) => perOperation.writes),
      row('statements an operation', ({ perOperation }) => perOperation.statements),
      row('WAL an operation (KiB)', ({ perOperation }) => (perOperation.walBytes / 1_024).toFixed(1)),
      row('syncs of the WAL an operation', ({ perOperation }) => perOperation.syncs),
      row('NATS messages sent / delivered an operation', ({ perOperation: { sent, delivered } }) => pair(sent, delivered)),
      row('requests to the VIM an operation', ({ requests }) => total(requests).toFixed(1)),
    ]),
    '',
    table([
      [`processor time of ${what} (ms each)`, ...heads],
      ...processes.map((name) => row(name, ({ cpuPerOperation }) => cpuPerOperation[name] ?? '')),
    ]),
    '',
  ];
}

const total = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

function statementsText(what: string, { statements }: Figures): string[] {
  const rows = Object.entries(statements).map(([text, { calls, planning, executing, walBytes }]) => [
    `\`${shortened(text)}\``,
    String(calls),
    executing.toFixed(2),
    planning.toFixed(2),
    walBytes.toFixed(0),
  ]);
  return [table([[what, 'calls', 'executing (ms)', 'planning (ms)', 'WAL (bytes)'], ...rows]), ''];
}

/** What has room in a table, and does not end its cell. */
export function shortened(text: string): string {
  const cut = text.length <= TEXT ? text : `${text.slice(0, TEXT - 1)}…`;
  return cut.replaceAll('|', String.raw`\|`).replaceAll('`', "'");
}

function bothText(what: string, { instantiation, termination }: Both<Record<string, number>>): string[] {
  const names = [...new Set([...Object.keys(instantiation), ...Object.keys(termination)])];
  return [
    table([
      [what, 'instantiation', 'termination'],
      ...names.map((name) => [name, String(instantiation[name] ?? 0), String(termination[name] ?? 0)]),
      ['**all**', total(instantiation).toFixed(1), total(termination).toFixed(1)],
    ]),
    '',
  ];
}

const profilesText = (profiles: Both<Record<string, TimeSpent[]>>, atOnce: number): string[] => [
  ...placesText('an instantiation', profiles.instantiation, atOnce),
  ...placesText('a termination', profiles.termination, atOnce),
];

function placesText(what: string, services: Readonly<Record<string, TimeSpent[]>>, atOnce: number): string[] {
  const busy = Object.entries(services).filter(([, places]) => places.reduce((sum, { own }) => sum + own, 0) >= LITTLE);
  return busy.flatMap(([service, places]) => [
    table([
      [
        `${service}, ms of its processor time for ${what}, ${atOnce} at once`,
        'itself',
        'share',
        'with what it calls outside of our code',
      ],
      ...places
        .slice(0, PLACES)
        .map(({ of, own, share, withCalled }) => [
          of,
          own.toFixed(2),
          `${(share * 100).toFixed(0)} %`,
          withCalled === 0 ? '' : withCalled.toFixed(2),
        ]),
    ]),
    '',
  ]);
}

function ratioText({ ratios = [] }: EngineReport): string[] {
  const names = Object.keys(ratios[0]?.instantiation ?? {});
  return [
    table([
      [
        'this checkout, by the other',
        ...ratios.flatMap(({ atOnce }) => [`instantiations, ${atOnce} at once`, `terminations, ${atOnce}`]),
      ],
      ...names.map((name) => [
        name,
        ...ratios.flatMap(({ instantiation, termination }) => [String(instantiation[name]), String(termination[name])]),
      ]),
    ]),
    '',
  ];
}

const pair = (one: number, other: number): string => `${one} / ${other}`;
