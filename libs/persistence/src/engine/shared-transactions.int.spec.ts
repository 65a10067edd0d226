import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { compilePlan, Coordinator, defaultPolicy, parallel, type JournalTransaction, type StepNode } from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { PgJournal } from './pg-journal.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 8 });
  await migrate(database);
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const KEYS = Array.from({ length: 12 }, (_none, n) => `host:${String(n).padStart(2, '0')}`);

const step = (key: string): StepNode => ({
  ...{ kind: 'step', id: key.replace(':', '-'), action: 'make', version: 1, service: 'maker', input: {} },
  limits: [key],
});

it('claims of two operations that are limited by the same machines, asked for in opposite orders, never wait for each other', async () => {
  const journal = new PgJournal(database, new Vault([randomBytes(32)]));
  const coordinator = new Coordinator({
    journal,
    policy: { ...defaultPolicy, limitOf: (key) => (key.startsWith('host:') ? 1 : undefined) },
    wakeUpSender: { notify: () => Promise.resolve() },
    owner: {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan({ root: parallel(KEYS.map(step)) })),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });
  const claim = async (operationId: string, key: string): Promise<boolean> => {
    const claimed = { operationId, stepId: key.replace(':', '-'), epoch: 0, service: 'maker', worker: 'w', actions: ['make@1'] };
    return (await coordinator.claim(claimed)).granted;
  };
  for (let round = 0; round < 5; round += 1) {
    await database.query('TRUNCATE lcm.operation CASCADE');
    const [one, other] = [randomUUID(), randomUUID()];
    for (const id of [one, other]) {
      await database.query(
        `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'accepted', 1)`,
        [id],
      );
      await coordinator.begin(id);
    }
    const claims = [...KEYS.map((key) => claim(one, key)), ...KEYS.toReversed().map((key) => claim(other, key))];
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(KEYS.length);
    const counts = await journal.transact(one, (tx) => tx.countRunning(KEYS.map((key) => ({ key, limit: 1, places: 1 }))));
    expect(counts).toEqual(new Map(KEYS.map((key) => [key, 1])));
  }
  await database.query('SELECT pg_stat_clear_snapshot()');
  const [row] = await rowsOf<{ deadlocks: string }>(
    database.manager,
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(row?.deadlocks).toBe('0');
});

it('a lock that is not free in time is waited for in a transaction of its own, also where a step has taken the error for its own', async () => {
  const journal = new PgJournal(database, new Vault([randomBytes(32)]));
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'accepted', 1)`,
    [id],
  );
  const holder = database.createQueryRunner();
  await holder.query('SELECT pg_advisory_lock(42)');
  const caught: unknown[] = [];
  let runs = 0;
  const work = async ({ handle }: JournalTransaction): Promise<string> => {
    const manager = handle as EntityManager;
    runs += 1;
    if (runs === 2) await holder.query('SELECT pg_advisory_unlock(42)');
    await manager.query('SELECT pg_advisory_xact_lock(42)').catch((error: unknown) => caught.push(error));
    await manager.query('SELECT 1');
    return 'done';
  };
  expect(await journal.transact(id, work, { beside: true })).toBe('done');
  expect(caught).toMatchObject([{ code: '55P03' }]);
  expect(runs).toBe(2);
  await holder.release();
});
