import { randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { PgStepDurations } from './pg-step-durations.js';

let server: TestDatabase;
let database: DataSource;
let operation: string;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
  await migrate(database);
  operation = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'INSTANTIATE', 'a', 'completed', 1)`,
    [operation],
  );
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** Steps of an action that took so long, the last of them ended last. */
async function took(
  action: string,
  seconds: readonly number[],
  { phase = 'do', state = 'done', service = 'maker' } = {},
): Promise<void> {
  await database.query(
    `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
       attempt_epoch, resumed, losses, ever_claimed, recheck, rings, started_at, ended_at)
     SELECT $1, $2 || n, n, $2, 1, $3, '[]', '[]', '[]', '{}', $4, $5, 1, 1, 1, false, 0, true, false, 0,
       now() + n * interval '1 hour' - s * interval '1 second', now() + n * interval '1 hour'
     FROM unnest($6::float8[]) WITH ORDINALITY AS took (s, n)`,
    [operation, action, service, phase, state, seconds],
  );
}

it('durations are medians of the last 20 times that an action was done, of that service, and of nothing that was not done', async () => {
  await took('make', [
    ...Array.from({ length: 30 }, () => 900),
    ...Array.from({ length: 9 }, () => 1),
    2,
    3,
    ...Array.from({ length: 9 }, () => 50),
  ]);
  await took('undo-only', [5], { phase: 'undo' });
  await took('failed-only', [5], { state: 'failed' });
  await took('elsewhere', [5], { service: 'other' });
  const all = ['make', 'undo-only', 'failed-only', 'elsewhere', 'never'].map((action) => ({ service: 'maker', action }));
  const known = await new PgStepDurations(database).of([...all, ...all]);
  expect(all.map((each) => known.of(each))).toEqual([{ seconds: 2.5, basedOn: 20 }, undefined, undefined, undefined, undefined]);
  expect((await new PgStepDurations(database).of([])).of(all[0]!)).toBeUndefined();
});

it('the last times of an action are read from the index, however long the journal is', async () => {
  await database.query('ANALYZE lcm.step');
  const lines = await database.transaction(async (manager) => {
    await manager.query('SET LOCAL enable_seqscan = off');
    return rowsOf<{ 'QUERY PLAN': string }>(
      manager,
      `EXPLAIN SELECT started_at FROM lcm.step AS s WHERE s.service = 'maker' AND s.action = 'make' AND s.phase = 'do' AND s.state = 'done'
       ORDER BY s.ended_at DESC LIMIT 20`,
    );
  });
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Scan using step_durations');
  expect(plan).not.toContain('Sort');
});
