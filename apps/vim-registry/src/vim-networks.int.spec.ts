import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { connectDatabase, migrate, Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VimNetworks } from './vim-networks.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 1 });
  await migrate(database);
});
afterAll(async () => {
  await database.destroy();
  await server.close();
});

const add = (id: string, type: string) =>
  database.query(`INSERT INTO vim.vim (id, tenant, name, type, auth_url, auth_cred) VALUES ($1, 't', $2, $2, 'https://x', '')`, [
    id,
    type,
  ]);

const asked = (tenant: string, id: string) =>
  new VimNetworks(database, new Vault([randomBytes(32)]), undefined).find({ tenant, id, names: ['net'] });

const NOT_ASKED = { networks: [], unanswered: 'it is not registered as an OpenStack' };

it('a VIM that nobody has registered is asked nothing, and the reason says so', async () => {
  expect(await asked('t', randomUUID())).toMatchObject(NOT_ASKED);
});

it('neither is a cluster, or an OpenStack of another project', async () => {
  const [cluster, another] = [randomUUID(), randomUUID()];
  await add(cluster, 'kubernetes');
  await add(another, 'openstack');
  expect(await asked('t', cluster)).toMatchObject(NOT_ASKED);
  expect(await asked('u', another)).toMatchObject(NOT_ASKED);
});
