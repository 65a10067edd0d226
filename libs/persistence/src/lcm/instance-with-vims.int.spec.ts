import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { VimEntity } from '../entities/vim.entity.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { Vault } from '../sealing/vault.js';
import { findInstanceWithVims } from './entity-statements.js';
import { instanceOf } from './instance-rows.js';
import { insertInstance } from './new-instance.js';

const vault = new Vault([randomBytes(32)]);
let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 3 });
  await migrate(database);
  // No package is needed for what is read here.
  await database.query('ALTER TABLE lcm.vnf_instance DROP CONSTRAINT vnf_instance_vnf_pkg_id_fkey');
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

it('an instance is read as it is read alone, with the VIMs of its own project that a request names, and the default ones', async () => {
  const { manager } = database;
  const [id, named, standard, others] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const record = {
    ...{ id, tenant: 't', vnfInstanceName: 'it', vnfInstanceDescription: null, vnfdId: 'd', vnfPkgId: randomUUID() },
    ...{ vnfProvider: 'p', vnfProductName: 'n', vnfSoftwareVersion: '1', vnfdVersion: '1', metadata: { of: 'it' }, version: 0 },
    ...{ properties: null, vimConnectionInfo: [], instantiated: null, desired: null, leftovers: null },
  };
  await insertInstance(manager, { ...record, instantiationState: 'NOT_INSTANTIATED' }, vault);
  for (const [vim, tenant] of [
    [named, 't'],
    [standard, 't'],
    [others, 'other'],
  ] as const)
    await manager.save(
      Object.assign(new VimEntity(), {
        ...{
          id: vim,
          tenant,
          name: vim,
          type: 'openstack',
          description: '',
          authUrl: 'http://x',
          authCred: Buffer.from('sealed'),
        },
        ...{
          vimProject: { name: 'p' },
          isDefault: vim !== named,
          placementAttr: { regions: [] },
          status: 'REACHABLE',
          extra: {},
        },
      }),
    );
  const read = async (ids: string[] | null, tenant = 't') => findInstanceWithVims(manager, { tenant, id }, ids);
  const idsOf = async (ids: string[] | null) => (await read(ids))?.vims.map((vim) => vim.id).sort();
  expect(await idsOf(null)).toEqual([]);
  expect(await idsOf([])).toEqual([standard]);
  expect(await idsOf([named, others, randomUUID()])).toEqual([named, standard].sort());
  expect(await read([named], 'other')).toBeNull();
  const alone = await manager.findOneByOrFail(VnfInstanceEntity, { id });
  const found = await read([named]);
  expect(instanceOf(found!.instance, vault)).toEqual(instanceOf(alone, vault));
  expect(found?.vims.find((vim) => vim.id === named)).toEqual(await manager.findOneByOrFail(VimEntity, { id: named }));
});
