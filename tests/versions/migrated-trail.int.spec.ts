import { randomBytes } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { ChainCheck, ChainKeys, connectDatabase, migrate, PgAuditChain } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateUpTo } from './support/old-database.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
  await migrateUpTo(database, 'Enrolment1700000000005');
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

it('a trail that an older release left is chained as it is, and its replicas that still run tear no hole into it', async () => {
  await database.query(
    `INSERT INTO lcm.audit_trail (kind, actor, at) SELECT 'request', 'anna', clock_timestamp() - make_interval(days => 500 - n)
     FROM generate_series(1, 20) AS n`,
  );
  await migrate(database);
  const keys = new ChainKeys([randomBytes(32)]);
  const chain = new PgAuditChain(database, keys, 6);
  for (let full = true; full;) ({ full } = await chain.append());
  // The older release purges twice: entries that were kept long enough, and entries that may not be purged any more.
  const [kept] = await database.query<{ removed: number }[]>(
    `SELECT lcm.purge_audit_trail(clock_timestamp() - interval '400 days', 5000) AS removed`,
  );
  expect(kept).toEqual({ removed: 0 });
  await expect(database.query(`SELECT lcm.purge_audit_trail(clock_timestamp() - interval '2 days', 5000)`)).rejects.toThrow(
    '30 days at least',
  );
  expect(await new ChainCheck(database, keys).page({ after: 0 })).toMatchObject({
    entries: 20,
    findings: [],
    end: { waiting: 0 },
  });
});
