import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { seconds } from '@windlass/foundation';
import { Client } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from './database.js';
import { migrations } from './migrations/index.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  // As the release before the column of `lcm.worker_key` left it.
  const upTo = migrations.slice(0, migrations.map(({ name }) => name).indexOf('KeysSeen1700000000045'));
  const older = new DataSource({ ...database.options, migrations: upTo, poolSize: 1, extra: {} } as DataSourceOptions);
  await older.initialize();
  await older.runMigrations({ transaction: 'each' });
  await older.destroy();
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

describe('a migration that changes a table which somebody reads for long, as a backup does', () => {
  it('lets services of the release before read and write on, and is done once the reader is', async () => {
    const reader = new Client({ connectionString: server.url });
    await reader.connect();
    try {
      await reader.query('BEGIN; LOCK TABLE lcm.worker_key IN ACCESS SHARE MODE');
      let done = false;
      const migrated = migrate(database).then(() => (done = true));
      const until = performance.now() + seconds(4);
      let longest = 0;
      while (performance.now() < until) {
        const began = performance.now();
        await database.query('SELECT count(*) FROM lcm.worker_key');
        longest = Math.max(longest, performance.now() - began);
      }
      expect(done).toBe(false);
      expect(longest).toBeLessThan(seconds(3));
      await reader.query('COMMIT');
      await migrated;
      expect(await database.query('SELECT seen_at FROM lcm.worker_key')).toEqual([]);
    } finally {
      await reader.end();
    }
  });
});
