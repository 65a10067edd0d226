import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '@windlass/embedded';
import { millis, seconds, TransientError, waitUntil } from '@windlass/foundation';
import { QueryFailedError, type DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, rowsOf } from './database.js';
import { runPrepared } from './prepared.js';
import { inTransaction } from './transaction.js';

let folder: string;
let postgres: RunningPostgres;
let database: DataSource;

const start = (port = 0) => startPostgres({ dataDir: join(folder, 'postgres'), port, durable: true, log: () => undefined });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-outage-'));
  postgres = await start();
  database = await connectDatabase({ url: postgres.url, applicationName: 'test', poolSize: 4 });
});

afterAll(async () => {
  await database.destroy();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Waits until so many statements wait in the database. */
const asleep = (count: number) =>
  waitUntil(
    async () => {
      const rows = await rowsOf(database.manager, `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
      return rows.length === count ? true : undefined;
    },
    { for: `${count} statements to sleep`, within: seconds(30), every: millis(20) },
  );

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const away = { constructor: TransientError, code: 'database.away', status: 503 };

describe('when PostgreSQL is killed and started again', () => {
  it('whatever was under way or is asked meanwhile may be asked again, and then works', async () => {
    const asked = [
      outcome(rowsOf(database.manager, 'SELECT pg_sleep(60)')),
      outcome(inTransaction(database, (manager) => manager.query('SELECT pg_sleep(60)'))),
      outcome(inTransaction(database, (manager) => runPrepared(manager, { name: 'sleep', text: 'SELECT pg_sleep($1)' }, [60]))),
    ];
    await asleep(asked.length);
    const { port } = postgres;
    await postgres.kill();
    for (const error of await Promise.all(asked)) expect(error).toMatchObject(away);
    expect(await outcome(rowsOf(database.manager, 'SELECT 1'))).toMatchObject(away);
    expect(await outcome(inTransaction(database, (manager) => manager.query('SELECT 1')))).toMatchObject(away);
    postgres = await start(port);
    expect(await rowsOf(database.manager, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('so may a transaction whose connection breaks between two statements', async () => {
    const { port } = postgres;
    const between = outcome(
      inTransaction(database, async (manager) => {
        await manager.query('SELECT 1');
        await postgres.kill();
        await waitUntil(() => Promise.resolve(manager.queryRunner?.isReleased === true ? true : undefined), {
          for: 'the connection to be let go of',
          within: seconds(30),
          every: millis(10),
        });
        await manager.query('SELECT 1');
      }),
    );
    expect(await between).toMatchObject(away);
    postgres = await start(port);
    expect(await rowsOf(database.manager, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('an error of the statement’s own stays what it is', async () => {
    expect(await outcome(rowsOf(database.manager, 'SELECT 1 / 0'))).toBeInstanceOf(QueryFailedError);
  });
});
