import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { instanceRecord, packageRecord, TENANT } from '@windlass/lifecycle/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { holdPackage, insertInstance } from './new-instance.js';
import { PgShownRows } from './shown-rows.js';

let server: TestDatabase;
let database: DataSource;
const vault = new Vault([randomBytes(32)]);
const PACKAGE = randomUUID();

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 3 });
  await migrate(database);
  const { model, files } = packageRecord(PACKAGE);
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state, vnfd_id, model, files)
     VALUES ($1, $2, 'ONBOARDED', 'ENABLED', 'a-vnfd', $3, $4), ($5, $2, 'PROCESSING', 'DISABLED', 'unfinished', NULL, NULL)`,
    [PACKAGE, TENANT, JSON.stringify(model), JSON.stringify(files), randomUUID()],
  );
});
afterAll(async () => {
  await database.destroy();
  await server.close();
});

describe('a new instance', () => {
  it('is read as it was written, whichever columns are filled, and what is secret of it is sealed', async () => {
    const shown = new PgShownRows(database, vault);
    const login = { accessInfo: { password: 'pass-of-the-vim' } };
    const full = instanceRecord({
      id: randomUUID(),
      vnfPkgId: PACKAGE,
      vnfInstanceName: "it's",
      metadata: { list: [1, '2'], text: '"' },
      properties: { vnfConfigurableProperties: { a: 'secret-property' } },
      vimConnectionInfo: [{ id: 'v', vimType: 'openstack', ...login }],
    });
    for (const record of [full, instanceRecord({ id: randomUUID(), vnfPkgId: PACKAGE, vnfInstanceName: null })]) {
      await database.transaction((manager) => insertInstance(manager, record, vault));
      expect((await shown.instance(TENANT, record.id))?.record).toEqual(record);
    }
    const [{ row } = { row: '' }] = await database.query<{ row: string }[]>(
      'SELECT t::text AS row FROM lcm.vnf_instance t WHERE id = $1',
      [full.id],
    );
    expect(row).not.toMatch(/pass-of-the-vim|secret-property/);
  });
});

describe('the package that an instance is made by', () => {
  const disable = (): Promise<unknown> =>
    database.transaction(async (manager) => {
      await manager.query(`SET LOCAL lock_timeout = '100ms'`);
      await manager.query(`UPDATE package.vnf_package SET operational_state = 'DISABLED' WHERE id = $1`, [PACKAGE]);
    });

  it('cannot be disabled until the instance is there, and holds up no other instance', async () => {
    await database.transaction(async (manager) => {
      const held = { id: PACKAGE, operationalState: 'ENABLED' };
      expect(await holdPackage(manager, TENANT, 'a-vnfd')).toEqual(held);
      await database.transaction(async (other) => {
        await other.query(`SET LOCAL lock_timeout = '100ms'`);
        expect(await holdPackage(other, TENANT, 'a-vnfd')).toEqual(held);
      });
      await expect(disable()).rejects.toThrow(/lock timeout/);
    });
    await disable();
  });

  it("is none that is another project's, or not onboarded yet", async () => {
    const asked: [string, string][] = [
      ['other', 'a-vnfd'],
      [TENANT, 'unfinished'],
      [TENANT, 'none'],
    ];
    for (const [tenant, vnfdId] of asked)
      expect(await database.transaction((manager) => holdPackage(manager, tenant, vnfdId))).toBeUndefined();
  });
});
