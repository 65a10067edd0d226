import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { compilePlan, Coordinator, defaultPolicy, parallel, type StepNode } from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';
import type { DataSource } from 'typeorm';
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
