import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { millis } from '@windlass/foundation';
import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchAnswers } from './answer-watch.js';
import { connectDatabase, rowsOf } from './database.js';
import { databaseHealth } from './database-health.js';

let server: TestDatabase;

beforeAll(async () => {
  server = await testPostgres();
});

afterAll(() => server.close());

async function watchedClient(within: number): Promise<{ client: pg.Client; errors: Error[] }> {
  const client = new pg.Client({ connectionString: server.url });
  const errors: Error[] = [];
  client.on('error', (error) => errors.push(error));
  watchAnswers(client, millis(within));
  await client.connect();
  return { client, errors };
}

describe('a PostgreSQL that does not answer', () => {
  it('costs the statement its time and the connection its life, and all that wait behind it learn of it', async () => {
    const { client, errors } = await watchedClient(700);
    const asked = [client.query('SELECT pg_sleep(60)'), client.query('SELECT 1')].map((answer) => answer.catch(String));
    const answers = await Promise.all(asked);
    expect(answers.map(String).join('\n')).toMatch(/did not answer within|Connection terminated/);
    await expect(client.query('SELECT 1')).rejects.toThrow();
    expect(errors.map(String).join()).not.toContain('TypeError');
    await client.end().catch(() => undefined);
  });

  it('is seen also where something more is asked all the time, as by whoever tries a quiet connection: asking is no answer', async () => {
    const { client } = await watchedClient(700);
    const warned: string[] = [];
    const note = ({ message }: Error): void => void warned.push(message);
    process.on('warning', note);
    const hung = client.query('SELECT pg_sleep(60)').catch(String);
    const trying = setInterval(() => void client.query('SELECT 1').catch(() => undefined), 400);
    const answer = await Promise.race([hung, pause(5_000, 'it still waits')]);
    clearInterval(trying);
    expect(answer).toMatch(/did not answer within|Connection terminated/);
    await pause(0);
    process.off('warning', note);
    // As `pg` warns of a client that is asked behind what waits.
    expect(warned).toEqual([]);
    await client.end().catch(() => undefined);
  });

  it('is not one that answers one statement after the other while more are asked', async () => {
    const { client } = await watchedClient(700);
    const asked = Array.from({ length: 5 }, () => client.query('SELECT pg_sleep(0.3)'));
    await expect(Promise.all(asked)).resolves.toHaveLength(5);
    await client.end();
  });

  it('is not what a connection is that nobody asks anything', async () => {
    const { client } = await watchedClient(500);
    await client.query('SELECT 1');
    await pause(1_000);
    expect((await client.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});

describe('the database of a service', () => {
  it('ends a transaction of ours whose next statement does not come, and with it its locks', async () => {
    const database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
    try {
      const [row] = await rowsOf<{ limit: string }>(
        database.manager,
        `SELECT current_setting('idle_in_transaction_session_timeout') AS limit`,
      );
      expect(row?.limit).toBe('8s');
    } finally {
      await database.destroy();
    }
  });

  it('is asked by the pg that is loaded already, and not by a second one that TypeORM finds by its name', async () => {
    const database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
    try {
      expect(database.options).toMatchObject({ type: 'postgres', driver: pg });
    } finally {
      await database.destroy();
    }
  });

  it('is healthy when it answers and can write, and says what is wrong when it is not', async () => {
    const database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
    expect(await databaseHealth(database)()).toEqual({ ok: true });
    const plan = await rowsOf<Record<string, string>>(
      database.manager,
      `SELECT temp_files::text AS files FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect(plan).toHaveLength(1);
    await database.destroy();
    expect(await databaseHealth(database)()).toMatchObject({ ok: false });
  });
});
