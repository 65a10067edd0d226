import { countersNow, countersSettled, perOperation, type Counted } from './counters.js';
import { rounded, summary, type Summary } from './figures.js';
import { createInstances, INSTANCES, instantiateAll, removeInstances, type Timed } from './operations.js';
import { usageOf } from './processes.js';
import type { Stage } from './stage.js';
import { imagesOf } from './vim-names.js';
import { operationTimes, ownNames, ownTimes, workerSteps } from './step-times.js';

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

function speed(operations: readonly Timed[]): Pick<Round, 'operationsPerSecond' | 'postToCompleted'> {
  const first = Math.min(...operations.map(({ sentAt }) => sentAt));
  const last = Math.max(...operations.map(({ completedAt }) => completedAt));
  return {
    operationsPerSecond: rounded((operations.length / (last - first)) * 1_000),
    postToCompleted: summary(operations.map(({ sentAt, completedAt }) => completedAt - sentAt)),
  };
}
