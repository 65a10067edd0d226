import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, migrateFor, schemas } from './database.js';
import { needsRelease } from './later-schema.js';

const LATER = ['OfALaterRelease1800000000001', 'OfALaterRelease1800000000002'];

let server: TestDatabase;
let database: DataSource;
const warned: object[] = [];
const log = { warn: (message: string, fields: object) => void warned.push({ message, ...fields }) };

const executed = () =>
  database
    .query<{ name: string }[]>('SELECT name FROM windlass_migrations ORDER BY id')
    .then((rows) => rows.map(({ name }) => name));

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

describe('a release that starts on a database', () => {
  it('of its own says nothing of later ones', async () => {
    await migrateFor(log, database);
    await migrateFor(log, database);
    expect(warned).toEqual([]);
  });

  it('that a later one has migrated runs on it, changes nothing, and says by what it is later', async () => {
    for (const [n, name] of LATER.entries())
      await database.query('INSERT INTO windlass_migrations (timestamp, name) VALUES ($1, $2)', [1_800_000_000_001 + n, name]);
    await migrateFor(log, database);
    expect(await executed()).toEqual([...schemas, ...LATER]);
    expect(warned).toEqual([
      {
        message: 'the database has been migrated by a later release: the one before it runs on that; further back is a restore',
        migrations: LATER,
      },
    ]);
  });

  it('from which a later one has taken what this one does without runs on it', async () => {
    await database.query(needsRelease(schemas.at(-1) ?? ''));
    await migrate(database);
    await database.query("COMMENT ON SCHEMA lcm IS 'kept by the operator of the database'");
    await migrate(database);
  });

  it('from which a later one has taken what this one uses does not start, touches nothing, and says which releases do', async () => {
    await database.query(needsRelease('OfALaterRelease1800000000001'));
    const before = await executed();
    await expect(migrate(database)).rejects.toMatchObject({
      code: 'database.later-schema',
      message: expect.stringMatching(
        /needs a release that knows OfALaterRelease1800000000001, and this one ends with \S+\. Start the release that ran last, or the one before it; to go back further, restore a backup of that time/,
      ) as string,
    });
    expect(await executed()).toEqual(before);
  });
});
