import { millis, minutes, TerminalError, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ground, Sample } from './stage.js';

export const INSTANCES = '/vnflcm/v1/vnf_instances';

/** How often PostgreSQL is asked which operations have ended. */
const LOOK_EVERY = millis(20);

/** How long all operations of a round may take. */
const ROUND_WITHIN = minutes(5);

type Asking = Pick<Ground, 'api' | 'database'> & Sample;

/** An instantiation, in milliseconds since 1970 by {@link now}. */
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
 * Sends the requests, and waits until each operation has ended.
 * @param every milliseconds between two requests; 0: all at one moment
 */
export async function instantiateAll(
  stage: Asking,
  ids: readonly string[],
  every = 0,
  lookEvery: Duration = LOOK_EVERY,
): Promise<WatchedOperations> {
  const pending = new Map<string, number>();
  let accepted = 0;
  const sending = Promise.all(
    ids.map(async (id, n) => {
      if (every > 0) await pause(n * every);
      const sentAt = now();
      pending.set(await operationOf(stage, `${INSTANCES}/${id}/instantiate`, stage.request), sentAt);
      accepted += 1;
    }),
  );
  const watching = watchUntilEnded(stage, pending, () => accepted === ids.length, lookEvery);
  await sending;
  return watching;
}

async function watchUntilEnded(
  { database }: Pick<Ground, 'database'>,
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
    { for: 'all operations to be completed', within: ROUND_WITHIN, every },
  );
  return { operations, looks, mostUnderWay };
}

const operationOf = async ({ api }: Pick<Ground, 'api'>, path: string, body: JsonObject): Promise<string> =>
  (await api.accept(path, body)).split('/').at(-1) ?? '';

/** Terminates and deletes them. */
export async function removeInstances(stage: Asking, ids: readonly string[]): Promise<void> {
  const pending = new Map<string, number>();
  for (const id of ids) pending.set(await operationOf(stage, `${INSTANCES}/${id}/terminate`, { terminationType: 'FORCEFUL' }), 0);
  await watchUntilEnded(stage, pending, () => true);
  for (const id of ids) await stage.api.delete(`${INSTANCES}/${id}`);
}
