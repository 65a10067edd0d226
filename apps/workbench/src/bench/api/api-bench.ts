import { seconds, type Duration } from '@windlass/foundation';
import type { Surroundings } from '@windlass/windlass';
import { Agent } from 'node:http';
import { medians, median, rounded } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import { INSTANCES } from '../operations.js';
import { nameOf } from './fill.js';
import { ask, load, type Asking, type LoadFigures } from './load.js';
import { fillSide, startSides, usageIn, type Side } from './side.js';

export interface ApiBenchOptions {
  /** How many instances are in the database, one after the other; upwards. */
  instances: readonly number[];
  /** How often each is measured. */
  runs: number;
  /** How long each load lasts. */
  lasting: Duration;
  /** The folder of another built checkout, measured in turns with this one. */
  against?: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** One run of one load on one side. */
export interface Measured extends Partial<Omit<LoadFigures, 'p50' | 'p95'>> {
  p50: number;
  p95: number;
  /** Processor time a request, in milliseconds. */
  lcmApi?: number;
  postgres?: number;
}

/** One load, by side: the medians of its runs, each figure's own. */
export interface ApiRow {
  instances: number;
  what: string;
  /** Requests at once; of a fan-out the subscribers. */
  atOnce: number;
  sides: Record<string, Measured>;
  /** How many times as quick this checkout is as the other: requests a second, or p50 where there is none. The median of the runs' ratios. */
  ratio?: number;
}

/** Of lcm-api, in MiB. */
export interface ApiMemory {
  instances: number;
  side: string;
  /** Resident before the loads with so many instances, and after. */
  before: number;
  after: number;
}

/** A list in one answer (`all_records`). */
export interface WholeList {
  instances: number;
  side: string;
  status: number;
  milliseconds: number;
  mebibytes: number;
  /** The most memory that lcm-api ever had, in MiB, before and after. */
  peakBefore: number;
  peakAfter: number;
}

/** What `bench api --json` writes. */
export interface ApiReport {
  bench: 'api';
  at: string;
  machine: Machine;
  runs: number;
  /** Milliseconds. */
  lasting: Duration;
  against: boolean;
  rows: ApiRow[];
  memory: ApiMemory[];
  wholeLists: WholeList[];
}

const CONNECTIONS = [1, 8];
const SUBSCRIBERS = [1, 10, 100];
/** Changes that subscribers are told of, a run. */
const CHANGES = 10;
/** Before anything is measured, of each load: so many requests, in parts that last so long. The first hundreds cost twice what later ones do. */
const WARM_UP_REQUESTS = 600;
const WARM_UP_PART = seconds(0.5);
/** Slow ones are warm with fewer. */
const WARM_UP_WITHIN = seconds(10);

const get = (path: string): Asking => ({ method: 'GET', path, expected: 200 });

const oneOf = (ids: readonly string[]): string => ids[Math.floor(Math.random() * ids.length)] ?? '';

/** Read with one connection alone: where all instances are looked through for it, eight would take minutes. */
const BY_NAME = 'an instance by its name';

/** What is read with each number of instances. */
const READS: Readonly<Record<string, (side: Side) => Asking>> = {
  'first page of instances': () => get(INSTANCES),
  'page of instances, from anywhere': ({ filled }) => get(`${INSTANCES}?nextpage_opaque_marker=${oneOf(filled.instances)}`),
  [BY_NAME]: ({ filled }) =>
    get(`${INSTANCES}?filter=(eq,vnfInstanceName,${nameOf(Math.floor(Math.random() * filled.instances.length))})`),
  'one instance': ({ filled }) => get(`${INSTANCES}/${oneOf(filled.instances)}`),
  'first page of occurrences': () => get('/vnflcm/v1/vnf_lcm_op_occs'),
};

/** Asks lists and reads of databases of several sizes, creates, and tells subscribers; in turns with another checkout where there is one. */
export async function apiBench(where: Surroundings, options: ApiBenchOptions): Promise<ApiReport> {
  const { say, signal, against, runs, lasting } = options;
  const measuredOn = machine();
  say('starting PostgreSQL, NATS, an OpenStack that answers at once, and the services');
  const sides = await startSides(where, against, signal);
  const report: ApiReport = {
    bench: 'api',
    at: new Date().toISOString(),
    machine: measuredOn,
    runs,
    lasting,
    against: against !== undefined,
    rows: [],
    memory: [],
    wholeLists: [],
  };
  try {
    for (const instances of options.instances) await withInstances(instances, sides, options, report);
    await atTheEnd(sides, options, report);
    return report;
  } finally {
    for (const side of sides) await side.stop();
  }
}

async function withInstances(
  instances: number,
  sides: readonly Side[],
  options: ApiBenchOptions,
  report: ApiReport,
): Promise<void> {
  const { say, signal } = options;
  say(`filling up to ${instances} instance${instances === 1 ? '' : 's'}`);
  for (const side of sides) await fillSide(side, instances, signal);
  const before = sides.map((side) => usageIn(side, 'lcm-api').resident);
  for (const [what, next] of Object.entries(READS)) {
    for (const atOnce of what === BY_NAME ? [1] : CONNECTIONS)
      report.rows.push(await inTurns({ instances, what, atOnce }, sides, options, loadOf(next, atOnce)));
  }
  for (const [n, side] of sides.entries())
    report.memory.push({ instances, side: side.name, before: before[n] ?? 0, after: usageIn(side, 'lcm-api').resident });
}

async function atTheEnd(sides: readonly Side[], options: ApiBenchOptions, report: ApiReport): Promise<void> {
  const instances = Math.max(...options.instances);
  for (const side of sides) report.wholeLists.push(await wholeList(side, instances));
  const create = ({ stage }: Side): Asking => ({
    method: 'POST',
    path: INSTANCES,
    body: JSON.stringify({ vnfdId: stage.vnfdId }),
    expected: 201,
  });
  for (const atOnce of CONNECTIONS)
    report.rows.push(await inTurns({ instances, what: 'create', atOnce }, sides, options, loadOf(create, atOnce)));
  for (const atOnce of SUBSCRIBERS) {
    for (const { subscribers, stage } of sides) await subscribers.upTo(stage.api, atOnce);
    const hear = ({ subscribers, stage }: Side): Promise<Measured> =>
      subscribers.hear(stage.api, stage.vnfdId, CHANGES, options.signal);
    report.rows.push(await inTurns({ instances, what: 'told to subscribers', atOnce }, sides, options, hear));
  }
}

type Measure = (side: Side, lasting: Duration, signal: AbortSignal) => Promise<Measured>;

/** Each run measures both sides, the one first that was second before. */
async function inTurns(
  load: Pick<ApiRow, 'instances' | 'what' | 'atOnce'>,
  sides: readonly Side[],
  { runs, lasting, say, signal }: ApiBenchOptions,
  measure: Measure,
): Promise<ApiRow> {
  const measured = new Map(sides.map(({ name }) => [name, [] as Measured[]]));
  for (const side of sides) await warmUp(side, measure, signal);
  for (let run = 0; run < runs; run += 1) {
    for (const side of run % 2 === 0 ? sides : [...sides].reverse()) {
      signal.throwIfAborted();
      measured.get(side.name)?.push(await measure(side, lasting, signal));
    }
  }
  const [ours = [], others] = [...measured.values()];
  const quickness = ({ perSecond, p50 }: Measured): number => perSecond ?? 1 / p50;
  const ratio =
    others === undefined ? undefined : rounded(median(ours.map((one, n) => quickness(one) / quickness(others[n] ?? one))));
  const row = {
    ...load,
    sides: Object.fromEntries([...measured].map(([name, all]) => [name, medians(all)])),
    ...(ratio === undefined ? {} : { ratio }),
  };
  say(`${load.instances} instances, ${load.what}, ${load.atOnce} at once: ${told(row)}`);
  return row;
}

async function warmUp(side: Side, measure: Measure, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  for (let requests = 0; requests < WARM_UP_REQUESTS && performance.now() - begun < WARM_UP_WITHIN;) {
    // What counts no requests takes its time whatever it is told, once.
    const { requests: more = WARM_UP_REQUESTS } = await measure(side, WARM_UP_PART, signal);
    requests += more;
  }
}

const told = ({ sides, ratio }: Pick<ApiRow, 'sides' | 'ratio'>): string =>
  [
    ...Object.entries(sides).map(([name, { perSecond, p50, p95 }]) =>
      perSecond === undefined ? `${name} ${p50} / ${p95} ms` : `${name} ${perSecond} a second, ${p50} / ${p95} ms`,
    ),
    ...(ratio === undefined ? [] : [`ratio ${ratio}`]),
  ].join('; ');

const loadOf =
  (next: (side: Side) => Asking, connections: number): Measure =>
  async (side, lasting, signal) => {
    const before = { lcmApi: usageIn(side, 'lcm-api').cpu, postgres: usageIn(side, 'PostgreSQL').cpu };
    const figures = await load(side, { connections, lasting, next: () => next(side), signal });
    const each = (name: 'lcm-api' | 'PostgreSQL', was: number): number =>
      rounded((usageIn(side, name).cpu - was) / figures.requests);
    return { ...figures, lcmApi: each('lcm-api', before.lcmApi), postgres: each('PostgreSQL', before.postgres) };
  };

async function wholeList(side: Side, instances: number): Promise<WholeList> {
  const peakBefore = usageIn(side, 'lcm-api').peak;
  const agent = new Agent();
  const begun = performance.now();
  const { status, body } = await ask(side, agent, get(`${INSTANCES}?all_records=yes`));
  const milliseconds = rounded(performance.now() - begun);
  agent.destroy();
  const mebibytes = rounded(body.length / 2 ** 20);
  return { instances, side: side.name, status, milliseconds, mebibytes, peakBefore, peakAfter: usageIn(side, 'lcm-api').peak };
}
