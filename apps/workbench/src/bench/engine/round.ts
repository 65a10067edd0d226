import type { Client } from 'pg';
import { TerminalError } from '@windlass/foundation';
import type { ServedRequest } from '@windlass/lab';
import { NOT_KNOWN } from '../cheap-vim/answer.js';
import { countersNow, countersSettled, perOperation, type Counted } from './counters.js';
import { rounded, summary, type Summary } from '../figures.js';
import {
  createInstances,
  deleteInstances,
  INSTANCES,
  instantiateAll,
  someAtOnce,
  terminateAll,
  type Timed,
  type WatchedOperations,
} from '../operations.js';
import { usageOf } from '../processes.js';
import { requestKinds } from './request-kinds.js';
import type { OnVim } from '../stage.js';
import { dearest, statementsNow, type StatementUse } from './statements.js';
import { imagesOf } from './vim-names.js';
import { operationTimes, ownNames, ownTimes, workerSteps } from './step-times.js';

/** What is measured of operations of one kind that were sent together. Times are in milliseconds. */
export interface Figures {
  /** The most operations that were seen under way together. */
  mostUnderWay: number;
  /** Requests of a client's that lcm-api had no room for at that moment (503), and that were sent again a second later. */
  toldToComeAgain: number;
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
  /** The ten statements that took most time, by their text. */
  statements: Record<string, StatementUse>;
  /** Requests to the VIM by service, method and path. */
  requests: Record<string, number>;
  /** Processor time by process, in milliseconds an operation. */
  cpuPerOperation: Record<string, number>;
}

/** What one round of instantiations measured, and of the terminations that took them away again. */
export interface Round extends Figures {
  /** Requests, all at one moment unless a pause between them was asked for. */
  atOnce: number;
  termination: Figures;
}

/** A stage with the connection over which the bench asks PostgreSQL, none of whose statements are the services'. */
export interface Observed {
  stage: OnVim & { signal: AbortSignal };
  observer: Client;
  idlePerSecond: Counted;
}

/** Instantiates this many VNFs, a request every so many milliseconds (0: all at one moment), terminates them again, and measures both. */
export async function runRound(observed: Observed, atOnce: number, every = 0): Promise<Round> {
  const { stage } = observed;
  const asking = { ...stage, database: observed.observer };
  const ids = await createInstances(stage, atOnce);
  const made = await measured(observed, ids, () => instantiateAll(asking, ids, every));
  const gone = await measured(observed, ids, () => terminateAll(asking, ids, every), made.names);
  await deleteInstances(stage, ids);
  return { atOnce, ...made.figures, termination: gone.figures };
}

type Names = ReturnType<typeof ownNames>;

async function measured(
  { stage, observer, idlePerSecond }: Observed,
  ids: readonly string[],
  work: () => Promise<WatchedOperations>,
  known?: Names,
): Promise<{ figures: Figures; names: Names }> {
  const { nats, vim, watched } = stage;
  const from = await countersSettled(observer, nats);
  const statementsBefore = await statementsNow(observer);
  await vim.taken();
  const cpuBefore = usageOf(watched);
  const { operations, looks, mostUnderWay, toldToComeAgain } = await work();
  const cpuAfter = usageOf(watched);
  const now = await countersNow(observer, nats);
  const statements = dearest(statementsBefore, await statementsNow(observer), operations.length);
  const requests = await vim.taken();
  requireAnswered(requests);
  const settled = await countersSettled(observer, nats);
  const names = known ?? (await namesOf(stage, ids));
  const figures: Figures = {
    mostUnderWay,
    toldToComeAgain,
    ...speed(operations),
    ...(await times(observer, operations, requests, names)),
    perOperation: perOperation({ from, now, settled }, idlePerSecond, operations.length, looks),
    statements,
    requests: requestKinds(requests, operations.length),
    cpuPerOperation: Object.fromEntries(
      watched.map(({ name }) => [name, rounded(((cpuAfter[name]?.cpu ?? 0) - (cpuBefore[name]?.cpu ?? 0)) / operations.length)]),
    ),
  };
  return { figures, names };
}

/**
 * Some of what the services ask before they answer 202 they can do without: nothing but this tells that it was refused.
 * @throws TerminalError `bench.not-answered`
 */
export function requireAnswered(requests: readonly ServedRequest[]): void {
  const refused = requests.find(({ status }) => status === NOT_KNOWN);
  if (refused !== undefined)
    throw new TerminalError(
      'bench.not-answered',
      `the VIM did not know ${refused.method} ${refused.path}: what was measured is not what is done on an OpenStack`,
    );
}

async function namesOf(stage: OnVim, ids: readonly string[]): Promise<Names> {
  const shown = await someAtOnce(ids, async (id) => ({ id, text: JSON.stringify(await stage.api.get(`${INSTANCES}/${id}`)) }));
  return ownNames([...shown, ...(await imagesOf(stage.vim, ids))]);
}

async function times(
  database: Client,
  operations: readonly Timed[],
  requests: readonly ServedRequest[],
  names: Names,
): Promise<Pick<Figures, 'acceptedToPlanned' | 'ownTime' | 'ownTimeByStep'>> {
  const ids = operations.map(({ id }) => id);
  const accepted = await operationTimes(database, ids);
  return {
    acceptedToPlanned: summary(accepted.map(({ acceptedAt, plannedAt }) => plannedAt - acceptedAt)),
    ...engine(ownTimes(await workerSteps(database, ids), requests, names)),
  };
}

type Own = ReturnType<typeof ownTimes>[number];

function engine(own: readonly Own[]): Pick<Figures, 'ownTime' | 'ownTimeByStep'> {
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

function speed(operations: readonly Timed[]): Pick<Figures, 'operationsPerSecond' | 'postToCompleted'> {
  const first = Math.min(...operations.map(({ sentAt }) => sentAt));
  const last = Math.max(...operations.map(({ completedAt }) => completedAt));
  return {
    operationsPerSecond: rounded((operations.length / (last - first)) * 1_000),
    postToCompleted: summary(operations.map(({ sentAt, completedAt }) => completedAt - sentAt)),
  };
}
