import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { WantedPlaces } from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { LimitPlaces, permitsOf, PlacesContended } from './limit-places.js';

const KEY = 'vim:a';
/** Half of them are permits. */
const LIMIT = 20;
const OPERATION = randomUUID();

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 24 });
  await migrate(database);
});

beforeEach(async () => {
  await database.query('TRUNCATE lcm.operation CASCADE');
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'running', 1)`,
    [OPERATION],
  );
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

interface Places {
  count(manager: EntityManager, wanted: readonly WantedPlaces[], alone: boolean): Promise<ReadonlyMap<string, number>>;
}

const countNow = async (manager: EntityManager): Promise<number> => {
  const sql = `SELECT count(*)::int AS n FROM lcm.step WHERE state = 'running' AND limit_keys ? $1`;
  return (await rowsOf<{ n: number }>(manager, sql, [KEY]))[0]?.n ?? 0;
};

/** As the release before has it (ADR 95): a permit a place, and only where there is a place for each permit; else the key alone. */
class PlacesBefore implements Places {
  async count(manager: EntityManager, [wanted]: readonly WantedPlaces[], alone: boolean): Promise<ReadonlyMap<string, number>> {
    const { places, limit } = wanted!;
    if (alone || places > permitsOf(limit)) {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`limit ${KEY}`]);
      return new Map([[KEY, await countNow(manager)]]);
    }
    await manager.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`limit ${KEY}`]);
    const got = await rowsOf(
      manager,
      `SELECT 1 FROM generate_series(1, $2::int) AS permit
       WHERE pg_try_advisory_xact_lock(hashtextextended('permit ' || permit || ' of limit ' || $1, 0)) LIMIT $3`,
      [KEY, permitsOf(limit), places],
    );
    const n = await countNow(manager);
    if (got.length < places || n + permitsOf(limit) > limit) throw new PlacesContended();
    return new Map([[KEY, n]]);
  }
}

/** A place that is taken, in a transaction that stays open until it is told otherwise. */
async function taken(
  places: Places,
  wanted: number,
  before: (n: number) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const once = (alone: boolean): Promise<string[]> =>
    database.transaction(async (manager) => {
      const counts = await places.count(manager, [{ key: KEY, limit: LIMIT, places: wanted }], alone);
      const n = counts.get(KEY) ?? 0;
      await before(n);
      const ids = Array.from({ length: Math.min(wanted, Math.max(0, LIMIT - n)) }, () => randomUUID() as string);
      for (const id of ids)
        await manager.query(
          `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
             attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
           VALUES ($1, $2, 1, 'a', 1, 'vim', '[]', $3, '[]', '{}', 'do', 'running', 1, 1, 1, false, 0, true, false, 0)`,
          [OPERATION, id, JSON.stringify([KEY])],
        );
      return ids;
    });
  return once(false).catch((error: unknown) => {
    if (error instanceof PlacesContended) return once(true);
    throw error;
  });
}

/** Permits that are held now, by whomever. */
const permitsHeld = async (): Promise<number> =>
  (await rowsOf(database.manager, `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted`))
    .length;

/** The same, with something that happens each time just before a statement is sent. */
const hooked = (places: Places, statement: string, before: () => Promise<unknown>): Places => ({
  count: async (manager, wanted, alone) => {
    const client = (await manager.queryRunner!.connect()) as { query: (asked: { name?: string }) => Promise<unknown> };
    const query = client.query.bind(client);
    client.query = async (asked) => {
      if (asked.name === statement) await before();
      return query(asked);
    };
    try {
      return await places.count(manager, wanted, alone);
    } finally {
      client.query = query;
    }
  },
});

const given = (ids: readonly string[]): Promise<unknown> =>
  database.query(`UPDATE lcm.step SET state = 'done' WHERE id = ANY($1::text[])`, [ids]);

describe('places near a limit', () => {
  it('are taken beside a transaction that has taken some and is not committed, as long as there are enough for both', async () => {
    const places = new LimitPlaces();
    for (const wanted of [5, 5, 4]) await taken(places, wanted);
    await taken(places, 3, async (n) => {
      expect(n).toBe(14);
      expect(await taken(places, 2)).toHaveLength(2);
      expect(await taken(places, 1)).toHaveLength(1);
    });
    expect(await countNow(database.manager)).toBe(LIMIT);
  });

  it('are given to each as far as they reach, and not promised to two', async () => {
    const places = new LimitPlaces();
    for (const wanted of [5, 5, 5]) await taken(places, wanted);
    await taken(places, 3, async () => {
      expect(await taken(places, 4)).toHaveLength(2);
      expect(await taken(places, 1)).toHaveLength(0);
    });
    expect(await countNow(database.manager)).toBe(LIMIT);
  });

  it('are seen that were committed between the count and the look at who takes some', async () => {
    const places = new LimitPlaces();
    for (const wanted of [5, 5, 5, 2]) await taken(places, wanted);
    let commit = (): void => undefined;
    const other = taken(places, 2, () => new Promise<void>((resolve) => (commit = resolve)));
    await expect.poll(async () => permitsHeld()).toBe(2);
    const ids = await taken(
      hooked(places, 'windlass limits permits held', () => (commit(), other)),
      2,
    );
    expect([(await other).length, ids.length]).toEqual([2, 1]);
    expect(await countNow(database.manager)).toBe(LIMIT);
  });

  it.each([
    ['of this release', () => new LimitPlaces()],
    ['of this release and of the one before', (of: number) => (of % 2 === 0 ? new LimitPlaces() : new PlacesBefore())],
  ])('are never more than there are, whoever takes and gives them at the same time, %s', async (_whose, placesOf) => {
    const state = { most: 0, taken: 0, isOver: false };
    // So few that permits are left mostly, and each keeps what it got for a while: the places are what is short.
    const takers = Array.from({ length: 8 }, async (_none, of) => {
      const places = placesOf(of);
      const kept: string[] = [];
      for (let round = 0; round < 60; round += 1) {
        const ids = await taken(places, 1 + (round % 2), () => pause(Math.random() * 8));
        state.taken += ids.length;
        kept.push(...ids);
        await pause(Math.random() * 4);
        if (kept.length > 3 || ids.length === 0) await given(kept.splice(0));
      }
    });
    const looks = (async () => {
      while (!state.isOver) state.most = Math.max(state.most, await countNow(database.manager));
    })();
    await Promise.all(takers).finally(() => (state.isOver = true));
    await looks;
    expect(state.most).toBeLessThanOrEqual(LIMIT);
    // The limit was near, and gave its places to somebody.
    expect(state.most).toBeGreaterThan(LIMIT - permitsOf(LIMIT));
    expect(state.taken).toBeGreaterThan(8 * 30);
  });
});
