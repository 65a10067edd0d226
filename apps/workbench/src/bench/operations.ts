import { millis, minutes, TerminalError, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ground, Sample } from './stage.js';

export const INSTANCES = '/vnflcm/v1/vnf_instances';

/** How often PostgreSQL is asked which operations have ended. */
const LOOK_EVERY = millis(20);

/** How long all operations of a round may take. */
const ROUND_WITHIN = minutes(5);

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
}

/** Milliseconds since 1970, in parts of them, that only go forward. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Makes instances of the sample. */
export const createInstances = ({ api, vnfdId }: Asking, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => (await api.post<{ id: string }>(INSTANCES, { vnfdId })).id));

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
  // Each request that waits for its time listens, and Node.js would take so many for a leak.
  if (stage.signal !== undefined) setMaxListeners(0, stage.signal);
  const sending = Promise.all(
    ids.map(async (id, n) => {
      if (every > 0) await pause(n * every, undefined, stage.signal === undefined ? {} : { signal: stage.signal });
      const sentAt = now();
      pending.set(await operationOf(stage, `${INSTANCES}/${id}/${task}`, body), sentAt);
      accepted += 1;
    }),
  );
  const watching = watchUntilEnded(stage, pending, () => accepted === ids.length, lookEvery);
  // Both at once: what ends the one is told though the other still waits.
  const [watched] = await Promise.all([watching, sending]);
  return watched;
}

async function watchUntilEnded(
  { database, signal }: Pick<Asking, 'database' | 'signal'>,
  pending: Map<string, number>,
  allSent: () => boolean,
  every: Duration = LOOK_EVERY,
): Promise<WatchedOperations> {
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

const operationOf = async ({ api }: Pick<Ground, 'api'>, path: string, body: JsonObject): Promise<string> =>
  (await api.accept(path, body)).split('/').at(-1) ?? '';

/** Terminates and deletes them. */
export async function removeInstances(stage: Asking, ids: readonly string[]): Promise<void> {
  await terminateAll(stage, ids);
  await deleteInstances(stage, ids);
}
