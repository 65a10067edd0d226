import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { days, hours, millis, seconds, waitUntil } from '@windlass/foundation';
import {
  ChainKeys,
  connectDatabase,
  migrate,
  PgAuditChain,
  PgJournal,
  PgOutbox,
  PgPurge,
  rowsOf,
  Vault,
} from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Purger } from './purger.js';

const retention = { journals: days(14), operations: days(180), trail: days(400), outbox: hours(1), keys: days(7) };

describe('the purger of a coordinator', () => {
  let server: TestDatabase;
  let database: DataSource;
  beforeAll(async () => {
    server = await testPostgres();
    database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
    await migrate(database);
  });
  afterAll(async () => {
    await database.destroy();
    await server.close();
  });

  /** As a coordinator of an older release left it, which kept everything for `KEEP_JOURNALS`. */
  async function operation(status: string): Promise<string> {
    const id = randomUUID();
    const sql = `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', $2, 1)`;
    await database.query(sql, [id, status]);
    const journal = new PgJournal(database, new Vault([randomBytes(32)]));
    await journal.transact(id, (tx) => tx.writePayload('s', 'resolved', { password: 'hunter2' }));
    return id;
  }

  it('removes inputs and outputs that an older release left of operations that are final, at its next round', async () => {
    const suspended = await operation('suspended');
    for (const status of ['completed', 'rolled-back', 'abandoned']) await operation(status);
    const told: string[] = [];
    const tell = (message: string): void => void told.push(message);
    const log = { info: tell, warn: tell, error: tell };
    const chain = new PgAuditChain(database, new ChainKeys([randomBytes(32)]));
    const purger = new Purger(new PgPurge(database), new PgOutbox(database, server.url), chain, retention, log, millis(20));
    purger.start();
    try {
      await waitUntil(
        async (seen) => {
          const rows = await rowsOf<{ id: string }>(database.manager, 'SELECT operation_id AS id FROM lcm.payload');
          seen(`${rows.length} payloads`);
          return (rows.length === 1 && rows[0]?.id === suspended) || undefined;
        },
        { for: 'the payloads of what is final to be gone', within: seconds(20), every: millis(20) },
      );
    } finally {
      await purger.stop();
    }
    expect(await rowsOf(database.manager, 'SELECT FROM lcm.operation')).toHaveLength(4);
    expect(told).not.toContainEqual(expect.stringContaining('could not be removed'));
  });
});
