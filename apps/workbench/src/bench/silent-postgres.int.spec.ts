import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { millis } from '@windlass/foundation';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeConnection, openConnection } from './bench-connection.js';

let server: TestDatabase;
beforeAll(async () => {
  server = await testPostgres();
});
afterAll(() => server.close());

/** Stops the one process of PostgreSQL that answers this connection, until the work has ended. */
async function whileSilent(client: Client, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

it('a bench whose PostgreSQL does not answer is told so by its statement, and can end', async () => {
  const client = await openConnection(server.url, millis(300));
  await whileSilent(client, async () => {
    await expect(client.query('SELECT 1')).rejects.toThrow('Query read timeout');
    await closeConnection(client, millis(100));
  });
});

it('one that nobody asks anything is closed by force', async () => {
  const client = await openConnection(server.url);
  await whileSilent(client, () => closeConnection(client, millis(100)));
});

it('one that is not there is named', async () => {
  const away = Object.assign(new URL(server.url), { port: '1' }).href;
  await expect(openConnection(away)).rejects.toMatchObject({ code: 'bench.no-answer' });
});
