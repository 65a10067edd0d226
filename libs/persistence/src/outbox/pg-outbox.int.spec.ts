import { setTimeout as pause } from 'node:timers/promises';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { seconds, waitUntil } from '@windlass/foundation';
import type { StepRecord } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { PgLcmStore } from '../lcm/pg-lcm-store.js';
import { Vault } from '../sealing/vault.js';
import { OUTBOX_CHANNEL, VIEWS_PAUSE, VIEWS_SESSIONS } from './outbox-notifier.js';
import { PgListener } from './pg-listener.js';
import { PgOutbox, type OutboxMessage } from './pg-outbox.js';

let server: TestDatabase;
let database: DataSource;
let store: PgLcmStore;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 6 });
  await migrate(database);
  store = new PgLcmStore(database, new Vault([Buffer.alloc(32, 7)]));
});

beforeEach(() => database.query('TRUNCATE lcm.outbox'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const emit = (...subjects: string[]): Promise<void> =>
  store.emit(
    database.manager,
    subjects.map((subject) => ({ subject, message: { about: subject } })),
  );

describe('the outbox in PostgreSQL', () => {
  it('gives rows in their order, once, and keeps those that could not be published', async () => {
    const outbox = new PgOutbox(database, server.url);
    await emit('a', 'b');
    await expect(outbox.takeBatch(10, () => Promise.reject(new Error('no NATS')))).rejects.toThrow('no NATS');
    const seen: string[] = [];
    const keep = (rows: readonly OutboxMessage[]): Promise<void> =>
      Promise.resolve(void seen.push(...rows.map(({ subject }) => subject)));
    expect(await outbox.takeBatch(10, keep)).toBe(2);
    expect(await outbox.takeBatch(10, keep)).toBe(0);
    expect(seen).toEqual(['a', 'b']);
  });

  it('gives no row to two relays at once', async () => {
    const outbox = new PgOutbox(database, server.url);
    await emit('a', 'b');
    const seen: string[] = [];
    await outbox.takeBatch(1, async (first) => {
      seen.push(...first.map(({ subject }) => subject));
      await outbox.takeBatch(5, (others) => Promise.resolve(void seen.push(...others.map(({ subject }) => subject))));
    });
    expect(seen).toEqual(['a', 'b']);
  });

  it('holds nothing of a transaction that fails', async () => {
    await expect(
      database.transaction(async (manager) => {
        await store.emit(manager, [{ subject: 'a', message: {} }]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await rowsOf(database.manager, 'SELECT * FROM lcm.outbox')).toEqual([]);
  });

  it('wakes its relay when a transaction commits, also after its connection broke', async () => {
    const outbox = new PgOutbox(database, server.url);
    let woken = 0;
    outbox.onWake(() => woken++);
    const wakes = (what: string) => {
      const before = woken;
      return waitUntil(async () => (await emit(what), woken > before ? true : undefined), {
        for: 'the relay to be woken',
        within: seconds(20),
        every: seconds(0.1),
      });
    };
    await wakes('a');
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windlass outbox'`);
    await wakes('b');
    await outbox.close();
  });

  it('lets events wait for the relay’s next look; whoever looks at the record is told of all of them, and of moved steps, at most five times a second', async () => {
    // Who has looked for viewers in vain looks again a second later.
    store = new PgLcmStore(database, new Vault([Buffer.alloc(32, 7)]));
    const outbox = new PgOutbox(database, server.url);
    const views = new PgListener({ url: server.url, channel: OUTBOX_CHANNEL, applicationName: VIEWS_SESSIONS });
    const woken = { relay: 0, views: 0 };
    outbox.onWake(() => (woken.relay += 1));
    views.onWake(() => (woken.views += 1));
    await expect.poll(() => woken, { timeout: 20_000 }).toEqual({ relay: 1, views: 1 });
    const began = performance.now();
    for (let n = 0; n < 20; n += 1) await emit('windlass.event.operation.PROCESSING');
    await store.stepsMoved(database.manager, [{ id: 's' } as StepRecord]);
    const changes = performance.now();
    await expect.poll(() => woken.views, { timeout: 20_000 }).toBeGreaterThan(1);
    // The last of them is told as well, in the end.
    await pause(2 * VIEWS_PAUSE);
    const most = Math.ceil((performance.now() - began) / VIEWS_PAUSE) + 1;
    expect(woken.relay).toBe(1);
    expect(woken.views).toBeLessThanOrEqual(most);
    expect(changes - began < VIEWS_PAUSE ? woken.views : 3).toBe(3);
    await emit('windlass.step.saga-coordinator');
    await expect.poll(() => woken.relay, { timeout: 20_000 }).toBe(2);
    await outbox.close();
    await views.close();
  });

  it('takes no transaction id for live views that nobody has open', async () => {
    const alone = new PgLcmStore(database, new Vault([Buffer.alloc(32, 7)]));
    const given = async (): Promise<string> =>
      (await rowsOf<{ next: string }>(database.manager, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next'))[0]!.next;
    const before = await given();
    const notified = vi.spyOn((database.driver as unknown as { master: Pool }).master, 'query');
    await alone.stepsMoved(database.manager, [{ id: 's' } as StepRecord]);
    await notified.mock.results[0]?.value;
    expect(notified).toHaveBeenCalledTimes(1);
    expect(await given()).toBe(before);
    notified.mockRestore();
  });

  it('removes what was sent long ago, and nothing else', async () => {
    const outbox = new PgOutbox(database, server.url);
    await emit('old', 'fresh', 'unsent');
    await outbox.takeBatch(2, () => Promise.resolve());
    await database.query(`UPDATE lcm.outbox SET created_at = created_at - interval '2 hours' WHERE subject IN ('old', 'unsent')`);
    expect(await outbox.purge(3_600)).toBe(1);
    expect(
      (await rowsOf<{ subject: string }>(database.manager, 'SELECT subject FROM lcm.outbox ORDER BY id')).map(
        ({ subject }) => subject,
      ),
    ).toEqual(['fresh', 'unsent']);
  });
});
