import { seconds, TerminalError, waitUntil, type Duration } from '@windlass/foundation';
import { connectDatabase } from '@windlass/persistence';
import type { Surroundings } from '@windlass/windlass';
import { Agent } from 'node:http';
import { ask, type Asking } from '../api/load.js';
import { median, rounded } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import { createInstances, INSTANCES, instantiateAll, now } from '../operations.js';
import { setStage, type Stage } from '../stage.js';
import { fillHistory, HISTORY_DAYS, type HistorySize } from './history.js';
import { looksOf, type Looks } from './looks.js';

export interface ManyOptions extends HistorySize {
  /** Instances of the small size, with as many occurrences each as the full one has. */
  small: number;
  /** How often each is measured; the medians are shown. */
  runs: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** One thing at both sizes, in milliseconds. */
export interface ManyRow {
  what: string;
  small: number;
  full: number;
  /** How many times as long it takes with the full size. */
  ratio: number;
}

/** What `bench many --json` writes. */
export interface ManyReport {
  bench: 'many';
  at: string;
  machine: Machine;
  runs: number;
  small: HistorySize;
  full: HistorySize;
  rows: ManyRow[];
}

const TENANT = 'default';
const OP_OCCS = '/vnflcm/v1/vnf_lcm_op_occs';
const MIDDLE = 'nextpage_opaque_marker=80000000-0000-4000-8000-000000000000';
/** The product's own defaults would begin to purge the year at once. */
const ENVIRONMENT = { KEEP_OPERATIONS: '400d', KEEP_JOURNALS: '400d' };
/** Few checkpoints while gigabytes are filled in: each has every page written twice that is changed after it. */
const POSTGRES = { max_wal_size: '16GB', checkpoint_timeout: '1h' };
const RESTART_WITHIN: Duration = seconds(300);

/** What clients read. */
const readsOf = (instanceId: string): Readonly<Record<string, string>> => ({
  'instances, first page': INSTANCES,
  'instances, a page in the middle': `${INSTANCES}?${MIDDLE}`,
  'instances, by name': `${INSTANCES}?filter=(eq,vnfInstanceName,many-000012)`,
  'instances, by state': `${INSTANCES}?filter=(eq,instantiationState,NOT_INSTANTIATED)`,
  'one instance': `${INSTANCES}/${instanceId}`,
  'occurrences, first page': OP_OCCS,
  'occurrences, a page in the middle': `${OP_OCCS}?${MIDDLE}`,
  'occurrences, of one instance': `${OP_OCCS}?filter=(eq,vnfInstanceId,${instanceId})`,
  'occurrences, FAILED_TEMP': `${OP_OCCS}?filter=(eq,operationState,FAILED_TEMP)`,
  'occurrences, FAILED': `${OP_OCCS}?filter=(eq,operationState,FAILED)`,
  'packages, first page': '/vnfpkgm/v1/vnf_packages',
});

/** Fills a database with little and then with much of the past, and measures the same things with both. */
export async function manyBench({ home }: Surroundings, options: ManyOptions): Promise<ManyReport> {
  const { instances, occurrences, small, runs, say, signal } = options;
  const measuredOn = machine();
  say('starting PostgreSQL, NATS, an OpenStack that answers at once, and the services');
  const common = { home, oneProcess: false, durable: true, stacks: 'instant', postgresSettings: POSTGRES } as const;
  const stage = { ...(await setStage({ ...common, environment: ENVIRONMENT, say: () => undefined, signal })), signal };
  const database = await connectDatabase({ url: stage.databaseUrl, applicationName: 'windlass bench looks', poolSize: 2 });
  try {
    const [sample = ''] = await createInstances(stage, 1);
    await instantiateAll(stage, [sample]);
    const looks = looksOf(database, stage.databaseUrl, stage.deployment.secrets.masterKey, TENANT);
    const sizes = {
      small: { instances: small, occurrences: Math.ceil((occurrences / instances) * small) },
      full: { instances, occurrences },
    };
    const measured: Map<string, number>[] = [];
    for (const [part, size] of Object.entries(sizes)) {
      say(`filling up to ${size.instances} instances and ${size.occurrences} occurrences of ${HISTORY_DAYS} days`);
      const more = part === 'small' ? size : without(size, sizes.small);
      await fillHistory(stage.adminUrl, { part, tenant: TENANT, vnfInstanceId: sample }, more);
      say('filled; the audit trail is being chained');
      await chained(looks, signal);
      measured.push(await measureAll(stage, looks, sample, { runs, say, signal }));
    }
    const [before, after] = measured;
    const rows = [...(before ?? [])].map(([what, was]) => {
      const is = after?.get(what) ?? Number.NaN;
      return { what, small: was, full: is, ratio: rounded(is / was) };
    });
    return { bench: 'many', at: new Date().toISOString(), machine: measuredOn, runs, ...sizes, rows };
  } finally {
    await database.destroy();
    await stage.stop();
  }
}

const without = (size: HistorySize, less: HistorySize): HistorySize => ({
  instances: size.instances - less.instances,
  occurrences: size.occurrences - less.occurrences,
});

/** Until every entry of the audit trail has its link: what was filled in has none. */
const chained = (looks: Looks, signal: AbortSignal): Promise<true> =>
  waitUntil(
    async (seen) => {
      await looks['chain of the audit trail']?.();
      const { waiting } = (await looks['metrics: audit trail']?.()) as { waiting: number };
      seen(`${waiting} entries wait`);
      return waiting === 0 || undefined;
    },
    { for: 'the audit trail to be chained', within: seconds(1_800), every: seconds(0.01), signal },
  );

type Measuring = Pick<ManyOptions, 'runs' | 'say' | 'signal'>;

async function measureAll(stage: Stage, looks: Looks, sample: string, measuring: Measuring): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const { runs, say, signal } = measuring;
  const measure = async (what: string, once: () => Promise<unknown>): Promise<void> => {
    // The first time it warms up.
    const times: number[] = [];
    for (let run = 0; run <= runs; run += 1) {
      signal.throwIfAborted();
      const begun = performance.now();
      await once();
      if (run > 0) times.push(performance.now() - begun);
    }
    found.set(what, rounded(median(times)));
    say(`${what}: ${found.get(what)} ms`);
  };
  const agent = new Agent({ keepAlive: true });
  for (const [what, path] of Object.entries(readsOf(sample))) await measure(what, () => read(stage, agent, path));
  for (const [what, look] of Object.entries(looks)) await measure(what, look);
  for (const service of ['lcm-api', 'saga-coordinator']) await measure(`metrics of ${service}`, () => metricsOf(stage, service));
  agent.destroy();
  await measure('create', () => createInstances(stage, 1));
  await measure('POST to COMPLETED, one VM', () => operate(stage));
  for (const service of ['lcm-api', 'saga-coordinator']) await measure(`start of ${service}`, () => restarted(stage, service));
  return found;
}

async function read({ deployment }: Stage, agent: Agent, path: string): Promise<void> {
  const asking: Asking = { method: 'GET', path, expected: 200 };
  const { status, body } = await ask({ url: deployment.url, token: deployment.secrets.token }, agent, asking);
  if (status !== 200)
    throw new TerminalError('bench.answer', `GET ${path} was answered ${status}: ${body.toString().slice(0, 300)}`);
}

const processOf = ({ deployment }: Stage, name: string) => {
  const found = deployment.processes.find((each) => each.name === name);
  if (found?.pid === undefined) throw new TerminalError('bench.failed', `there is no process of ${name}`);
  return { process: found, pid: found.pid };
};

async function metricsOf(stage: Stage, service: string): Promise<void> {
  const [url = ''] = processOf(stage, service).process.healthUrls.values();
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(seconds(60)) });
  if (answer.status !== 200) throw new TerminalError('bench.answer', `the metrics of ${service} were answered ${answer.status}`);
  await answer.text();
}

async function operate(stage: Stage): Promise<number> {
  const ids = await createInstances(stage, 1);
  const { operations } = await instantiateAll(stage, ids);
  return (operations[0]?.completedAt ?? now()) - (operations[0]?.sentAt ?? 0);
}

/** From the signal that ends it to its readiness: the supervisor's pause before it starts it again is in it. */
async function restarted(stage: Stage, service: string): Promise<void> {
  const victim = processOf(stage, service);
  process.kill(victim.pid, 'SIGKILL');
  await waitUntil(() => Promise.resolve(victim.process.healthUrls.size === 0 || undefined), {
    for: `${service} to be gone`,
    within: RESTART_WITHIN,
    every: seconds(0.005),
  });
  await victim.process.started(RESTART_WITHIN);
  await victim.process.ready(RESTART_WITHIN);
}
