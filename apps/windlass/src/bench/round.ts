import { setTimeout as pause } from 'node:timers/promises';
import { millis, minutes, TerminalError, waitUntil, type JsonObject } from '@windlass/foundation';
import { countersNow, countersSettled, perOperation, type Counted } from './counters.js';
import { rounded, summary, type Summary } from './figures.js';
import { usageOf } from './processes.js';
import type { Stage } from './stage.js';
import { imagesOf } from './vim-names.js';
import { operationTimes, ownNames, ownTimes, workerSteps } from './step-times.js';

const INSTANCES = '/vnflcm/v1/vnf_instances';

/** How often PostgreSQL is asked which operations have ended. */
const LOOK_EVERY = millis(20);

/** How long all operations of a round may take. */
const ROUND_WITHIN = minutes(5);

/** What one round of instantiations measured. Times are in milliseconds. */
export interface Round {
  /** Requests, all at one moment unless a pause between them was asked for. */
  atOnce: number;
  /** The most operations that were seen under way together. */
  mostUnderWay: number;
  /** From the first POST to the last COMPLETED. */
  operationsPerSecond: number;
  /** From sending the POST until COMPLETED is committed, looked at every 20 ms. */
  postToCompleted: Summary;
  /** From the acceptance (the row's insert) to the plan. */
  acceptedToPlanned: Summary;
  /** The engine's own time of each step, in its two parts, and both together. */
  ownTime: { before: Summary; around: Summary; total: Summary };
  /** Both together by step. */
  ownTimeByStep: Record<string, Summary>;
  perOperation: Counted;
  /** Processor time by process, in milliseconds an operation. */
  cpuPerOperation: Record<string, number>;
}

/** Instantiates this many VNFs, a request every so many milliseconds (0: all at one moment), measures, and takes them away again. */
export async function runRound(stage: Stage, atOnce: number, idlePerSecond: Counted, every = 0): Promise<Round> {
  const ids = await createInstances(stage, atOnce);
  const { database, nats, emulator, watched } = stage;
  emulator.requests.length = 0;
  const before = await countersSettled(database, nats);
  const cpuBefore = usageOf(watched);
  const { operations, looks, mostUnderWay } = await instantiateAll(stage, ids, every);
  const cpuAfter = usageOf(watched);
  const messages = await countersNow(database, nats);
  const requests = [...emulator.requests];
  const after = await countersSettled(database, nats);
  const operationIds = operations.map(({ id }) => id);
  const shown = await Promise.all(
    ids.map(async (id) => ({ id, text: JSON.stringify(await stage.api.get(`${INSTANCES}/${id}`)) })),
  );
  const names = ownNames([...shown, ...(await imagesOf(emulator, ids))]);
  const own = ownTimes(await workerSteps(database, operationIds), requests, names);
  const times = await operationTimes(database, operationIds);
  await removeInstances(stage, ids);
  const done = perOperation(before, { ...after, transactions: after.transactions - looks }, idlePerSecond, atOnce);
  const { sent, delivered } = perOperation(before, messages, idlePerSecond, atOnce);
  return {
    atOnce,
    mostUnderWay,
    ...speed(operations),
    acceptedToPlanned: summary(times.map(({ acceptedAt, plannedAt }) => plannedAt - acceptedAt)),
    ...engine(own),
    perOperation: { ...done, sent, delivered },
    cpuPerOperation: Object.fromEntries(
      watched.map(({ name }) => [name, rounded(((cpuAfter[name]?.cpu ?? 0) - (cpuBefore[name]?.cpu ?? 0)) / atOnce)]),
    ),
  };
}

type Own = ReturnType<typeof ownTimes>[number];

function engine(own: readonly Own[]): Pick<Round, 'ownTime' | 'ownTimeByStep'> {
  const total = ({ before, around }: Own): number => before + around;
  return {
    ownTime: {
      before: summary(own.map(({ before }) => before)),
      around: summary(own.map(({ around }) => around)),
      total: summary(own.map(total)),
    },
    ownTimeByStep: Object.fromEntries(
      [...new Set(own.map(({ step }) => step))].map((step) => [step, summary(own.filter((one) => one.step === step).map(total))]),
    ),
  };
}

interface Timed {
  id: string;
  sentAt: number;
  completedAt: number;
}

interface Watched {
  operations: Timed[];
  /** How often PostgreSQL was asked. */
  looks: number;
  mostUnderWay: number;
}

function speed(operations: readonly Timed[]): Pick<Round, 'operationsPerSecond' | 'postToCompleted'> {
  const first = Math.min(...operations.map(({ sentAt }) => sentAt));
  const last = Math.max(...operations.map(({ completedAt }) => completedAt));
  return {
    operationsPerSecond: rounded((operations.length / (last - first)) * 1_000),
    postToCompleted: summary(operations.map(({ sentAt, completedAt }) => completedAt - sentAt)),
  };
}

const createInstances = ({ api, vnfdId }: Stage, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => (await api.post<{ id: string }>(INSTANCES, { vnfdId })).id));

/** Sends the requests, and waits until each operation has ended. */
async function instantiateAll(stage: Stage, ids: readonly string[], every: number): Promise<Watched> {
  const pending = new Map<string, number>();
  let accepted = 0;
  const sending = Promise.all(
    ids.map(async (id, n) => {
      if (every > 0) await pause(n * every);
      const sentAt = performance.now();
      pending.set(await operationOf(stage, `${INSTANCES}/${id}/instantiate`, stage.request), sentAt);
      accepted += 1;
    }),
  );
  const watching = watchUntilEnded(stage, pending, () => accepted === ids.length);
  await sending;
  return watching;
}

async function watchUntilEnded({ database }: Stage, pending: Map<string, number>, allSent: () => boolean): Promise<Watched> {
  const operations: Timed[] = [];
  let looks = 0;
  let mostUnderWay = 0;
  await waitUntil(
    async (seen) => {
      looks += 1;
      mostUnderWay = Math.max(mostUnderWay, pending.size);
      const { rows } = await database.query<{ id: string; status: string }>(
        `SELECT id, status FROM lcm.operation WHERE id = ANY($1::uuid[]) AND status NOT IN ('accepted', 'running')`,
        [[...pending.keys()]],
      );
      const completedAt = performance.now();
      for (const { id, status } of rows) {
        if (status !== 'completed') throw new TerminalError('bench.failed', `operation ${id} is ${status}, not completed`);
        operations.push({ id, sentAt: pending.get(id) ?? completedAt, completedAt });
        pending.delete(id);
      }
      seen(`${pending.size} under way`);
      return allSent() && pending.size === 0 ? true : undefined;
    },
    { for: 'all operations to be completed', within: ROUND_WITHIN, every: LOOK_EVERY },
  );
  return { operations, looks, mostUnderWay };
}

const operationOf = async ({ api }: Stage, path: string, body: JsonObject): Promise<string> =>
  (await api.accept(path, body)).split('/').at(-1) ?? '';

async function removeInstances(stage: Stage, ids: readonly string[]): Promise<void> {
  const pending = new Map<string, number>();
  for (const id of ids) pending.set(await operationOf(stage, `${INSTANCES}/${id}/terminate`, { terminationType: 'FORCEFUL' }), 0);
  await watchUntilEnded(stage, pending, () => true);
  for (const id of ids) await stage.api.delete(`${INSTANCES}/${id}`);
}
