import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectDatabase, rowsOf } from './database.js';
import { afterCommit, holdWrite, inSharedTransaction, inTransaction } from './transaction.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 3 });
  await database.query('CREATE TABLE kept (id int PRIMARY KEY)');
});

beforeEach(() => database.query('TRUNCATE kept'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** Holds back a row; one that is there breaks the table's key when it is written. */
const keep = (manager: EntityManager, id: number): Promise<void> =>
  holdWrite(manager, `keep ${id}`, () => ({
    statement: { name: 'keep a row', text: 'INSERT INTO kept (id) VALUES ($1)' },
    values: () => [id],
  }));

const kept = async (): Promise<number[]> =>
  (await rowsOf<{ id: number }>(database.manager, 'SELECT id FROM kept ORDER BY id')).map(({ id }) => id);

describe('what is held back to a transaction’s end', () => {
  it('is sent with COMMIT behind it, which waits for no answer', async () => {
    const client = pg.Client.prototype as unknown as { query: (...asked: unknown[]) => unknown };
    const { query } = client;
    const order: string[] = [];
    const spy = vi.spyOn(client, 'query').mockImplementation(function (this: unknown, ...asked: unknown[]) {
      const [sent] = asked as [string | { name?: string }];
      const name = typeof sent === 'string' ? sent : (sent.name ?? '');
      const answer = query.apply(this, asked);
      order.push(`asked ${name}`);
      if (answer instanceof Promise) void answer.then(() => order.push(`answered ${name}`));
      return answer;
    });
    // A connection is watched as it is when it is made.
    const watched = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 1 });
    await inTransaction(watched, (manager) => keep(manager, 1), { remembers: true });
    spy.mockRestore();
    await watched.destroy();
    expect(order.filter((each) => /keep a row|COMMIT/.test(each))).toEqual([
      ...['asked keep a row', 'asked COMMIT', 'answered keep a row', 'answered COMMIT'],
    ]);
    expect(await kept()).toEqual([1]);
  });

  it('takes all of it back where it fails, and whoever asked is told why', async () => {
    await keep(database.manager, 1);
    const after = vi.fn();
    const work = async (manager: EntityManager): Promise<string> => {
      await manager.query('INSERT INTO kept (id) VALUES (2)');
      await keep(manager, 1);
      afterCommit(manager, 'told', after);
      return 'done';
    };
    await expect(inTransaction(database, work, { remembers: true })).rejects.toMatchObject({ code: '23505' });
    const beside = async (manager: EntityManager): Promise<string> => {
      await keep(manager, 3);
      return 'done';
    };
    const shared = inSharedTransaction(database, () => Promise.resolve([work, beside]));
    await expect(shared).rejects.toMatchObject({ code: '23505' });
    expect(after).not.toHaveBeenCalled();
    expect(await kept()).toEqual([1]);
    // The connections are as good as new.
    for (const id of [4, 5, 6, 7]) await inTransaction(database, (manager) => keep(manager, id), { remembers: true });
    expect(await kept()).toEqual([1, 4, 5, 6, 7]);
  });

  it('is told as an outage where the connection is lost under it', async () => {
    const work = async (manager: EntityManager): Promise<void> => {
      const killed = {
        statement: { name: 'end this session', text: 'SELECT pg_terminate_backend(pg_backend_pid())' },
        values: () => [],
      };
      await holdWrite(manager, 'end', () => killed);
    };
    await expect(inTransaction(database, work, { remembers: true })).rejects.toMatchObject({ code: 'database.away' });
    await inTransaction(database, (manager) => keep(manager, 8), { remembers: true });
    expect(await kept()).toEqual([8]);
  });
});
