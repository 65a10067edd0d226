import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { evidence } from '@windlass/foundation/testing';
import pg from 'pg';
import { startPostgres, type RunningPostgres } from '../postgres/start-postgres.js';
import { testFolder, type TestFolder } from './test-folder.js';

/** An empty database of one test. */
export interface TestDatabase {
  /** The URL of the database's owner, who is no superuser unless TEST_DATABASE_URL names a superuser. */
  readonly url: string;
  /** The same database, as a superuser. */
  readonly adminUrl: string;
  /** Drops the database, also while a client is connected. The server ends with the last database of this process. */
  close(): Promise<void>;
}

interface Shared {
  server: RunningPostgres;
  folder: TestFolder;
}

let shared: Promise<Shared> | undefined;
let users = 0;

/** Without syncs a server is up in half a second, most of it initdb, so that every test process simply has its own. */
async function startShared(): Promise<Shared> {
  const folder = testFolder();
  const server = await startPostgres({ dataDir: join(folder.path, 'postgres'), durable: false, log: evidence.log('postgres') });
  return { server, folder };
}

async function inDatabase(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * A fresh database on a PostgreSQL that all callers in this process share, started with the first; with TEST_DATABASE_URL on that server.
 * A test that kills or restarts PostgreSQL starts its own with `startPostgres` in a {@link testFolder}.
 */
export async function testPostgres(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined) {
    await inDatabase(given, (client) => client.query(`CREATE DATABASE ${name}`));
    return { url: inPath(given, name), adminUrl: inPath(given, name), close: () => drop(given, name) };
  }
  shared ??= startShared();
  users += 1;
  const { server } = await shared;
  await inDatabase(server.adminUrl, (client) => client.query(`CREATE DATABASE ${name} OWNER windlass`));
  return {
    url: inPath(server.url, name),
    adminUrl: inPath(server.adminUrl, name),
    close: async () => {
      await drop(server.adminUrl, name);
      users -= 1;
      if (users === 0) await endShared();
    },
  };
}

async function endShared(): Promise<void> {
  const ending = await shared;
  shared = undefined;
  await ending?.server.stop();
  ending?.folder.remove();
}

const drop = (admin: string, name: string): Promise<void> =>
  inDatabase(admin, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));

function inPath(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
