import {
  millis,
  minutes,
  RequestError,
  seconds,
  TerminalError,
  TransientError,
  waitUntil,
  type Duration,
  type JsonObject,
} from '@windlass/foundation';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ground, Sample } from './stage.js';

export const INSTANCES = '/vnflcm/v1/vnf_instances';

/** How often PostgreSQL is asked which operations have ended. */
const LOOK_EVERY = millis(20);

/** How long all operations of a round may take. */
const ROUND_WITHIN = minutes(5);

/** How long Windlass may say of one request that it can't take it now, and how long a request rests that was told so. */
const TAKEN_WITHIN = minutes(2);
const ASKED_AGAIN_AFTER = seconds(1);

/** What is made before anything is measured, and read after it, is asked for by so many at once. */
const ASKING = 20;

/** With a signal, who waits for operations is told at once that the bench was stopped. */
type Asking = Pick<Ground, 'api' | 'database'> & Sample & { signal?: AbortSignal };

/** An operation, in milliseconds since 1970 by {@link now}. */
export interface Timed {
  id: string;
  sentAt: number;
  completedAt: number;
}

export interface WatchedOperations {
  operations: Timed[];
  /** How often PostgreSQL was asked. */
  looks: number;
  mostUnderWay: number;
  /** How often a request was told to come again (503), as more came at one moment than lcm-api could take; each was sent again. */
  toldToComeAgain: number;
}

/** Milliseconds since 1970, in parts of them, that only go forward. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Makes instances of the sample, some at once. */
export const createInstances = ({ api, vnfdId }: Asking, count: number): Promise<string[]> =>
  someAtOnce(Array.from({ length: count }), async () => (await api.post<{ id: string }>(INSTANCES, { vnfdId })).id);

/** Does it for each, in any order, for so few at once that nobody is told to come again. */
export async function someAtOnce<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  const left = [...all.entries()].reverse();
  const next = async (): Promise<void> => {
    for (let taken = left.pop(); taken !== undefined; taken = left.pop()) found[taken[0]] = await work(taken[1]);
  };
  await Promise.all(Array.from({ length: ASKING }, next));
  return found;
}

/**
 * Instantiates them, and waits until each operation has ended.
 * @param every milliseconds between two requests; 0: all at one moment
 */
export const instantiateAll = (
  stage: Asking,
  ids: readonly string[],
  every = 0,
  lookEvery: Duration = LOOK_EVERY,
): Promise<WatchedOperations> => sendAll(stage, ids, { task: 'instantiate', body: stage.request, every }, lookEvery);

/** Terminates them, and waits until each operation has ended. */
export const terminateAll = (stage: Asking, ids: readonly string[], every = 0): Promise<WatchedOperations> =>
  sendAll(stage, ids, { task: 'terminate', body: { terminationType: 'FORCEFUL' }, every }, LOOK_EVERY);

export async function deleteInstances({ api }: Pick<Ground, 'api'>, ids: readonly string[]): Promise<void> {
  for (const id of ids) await api.delete(`${INSTANCES}/${id}`);
}

async function sendAll(
  stage: Asking,
  ids: readonly string[],
  { task, body, every }: { task: string; body: JsonObject; every: number },
  lookEvery: Duration,
): Promise<WatchedOperations> {
  const pending = new Map<string, number>();
  let accepted = 0;
  let toldToComeAgain = 0;
  // Each request that waits for its time listens, and Node.js would take so many for a leak.
  if (stage.signal !== undefined) setMaxListeners(0, stage.signal);
  const sending = Promise.all(
    ids.map(async (id, n) => {
      if (every > 0) await pause(n * every, undefined, stage.signal === undefined ? {} : { signal: stage.signal });
      const sentAt = now();
      const taken = await untilTaken(stage, id, task, body);
      pending.set(taken.operation, sentAt);
      toldToComeAgain += taken.toldToComeAgain;
      accepted += 1;
    }),
  );
  const watching = watchUntilEnded(stage, pending, () => accepted === ids.length, lookEvery);
  // Both at once: what ends the one is told though the other still waits.
  const [watched] = await Promise.all([watching, sending]);
  return { ...watched, toldToComeAgain };
}

/**
 * Sends a task until it is taken. Who is told to come again does so: the pause is in the time that is measured, as a client's would be. Nothing is taken twice:
 * where an answer was lost, the operation that it spoke of is found by its instance.
 * @throws TransientError `wait.timeout` where it is not taken within two minutes
 */
async function untilTaken(
  { api, database, signal }: Asking,
  instance: string,
  task: string,
  body: JsonObject,
): Promise<{ operation: string; toldToComeAgain: number }> {
  let toldToComeAgain = 0;
  const operation = await waitUntil(
    async (seen) => {
      try {
        return (await api.accept(`${INSTANCES}/${instance}/${task}`, body)).split('/').at(-1) ?? '';
      } catch (error) {
        if (error instanceof TransientError && error.status === 503) {
          toldToComeAgain += 1;
          seen(error.message);
          return undefined;
        }
        const found = toldToComeAgain > 0 && error instanceof RequestError ? await lastOf(database, instance, task) : undefined;
        if (found === undefined) throw error;
        return found;
      }
    },
    {
      for: `${task} of ${instance} to be taken`,
      within: TAKEN_WITHIN,
      every: ASKED_AGAIN_AFTER,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { operation, toldToComeAgain };
}

/** The operation of this kind that an instance had last, where it has had one. */
async function lastOf(database: Asking['database'], instance: string, task: string): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = $1 AND operation = $2 ORDER BY start_time DESC LIMIT 1',
    [instance, task.toUpperCase()],
  );
  return rows[0]?.id;
}

async function watchUntilEnded(
  { database, signal }: Pick<Asking, 'database' | 'signal'>,
  pending: Map<string, number>,
  allSent: () => boolean,
  every: Duration = LOOK_EVERY,
): Promise<Omit<WatchedOperations, 'toldToComeAgain'>> {
  const operations: Timed[] = [];
  let looks = 0;
  let mostUnderWay = 0;
  await waitUntil(
    async (seen) => {
      looks += 1;
      mostUnderWay = Math.max(mostUnderWay, pending.size);
      const { rows } = await database.query<{ id: string; status: string }>(
        // One after the other by the index: without statistics PostgreSQL would read all operations of the rounds before, 50 times a second.
        `SELECT o.id, o.status FROM unnest($1::uuid[]) AS wanted (id)
         CROSS JOIN LATERAL (SELECT id, status FROM lcm.operation WHERE id = wanted.id LIMIT 1) AS o WHERE o.status NOT IN ('accepted', 'running')`,
        [[...pending.keys()]],
      );
      const completedAt = now();
      for (const { id, status } of rows) {
        if (status !== 'completed') throw new TerminalError('bench.failed', `operation ${id} is ${status}, not completed`);
        operations.push({ id, sentAt: pending.get(id) ?? completedAt, completedAt });
        pending.delete(id);
      }
      seen(`${pending.size} under way`);
      return allSent() && pending.size === 0 ? true : undefined;
    },
    {
      for: 'all operations to be completed',
      within: ROUND_WITHIN,
      every,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { operations, looks, mostUnderWay };
}

/** Terminates and deletes them. */
export async function removeInstances(stage: Asking, ids: readonly string[]): Promise<void> {
  await terminateAll(stage, ids);
  await deleteInstances(stage, ids);
}
