import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { hours, minutes } from '@windlass/foundation';
import type { LcmChange, LcmEvent } from '@windlass/lifecycle';
import { describeLcmStore, instanceRecord, opOccRecord, TENANT } from '@windlass/lifecycle/testing';
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import { PgNotificationOutbox } from '../notifications/pg-notification-outbox.js';
import { PgSubscriptions } from '../notifications/pg-subscriptions.js';
import { Vault } from '../sealing/vault.js';
import { inTransaction } from '../transaction.js';
import { instanceRow, opOccRow } from './instance-rows.js';
import { PgLcmStore } from './pg-lcm-store.js';
import { vimCredentialPlace } from './vim-access.js';

let server: TestDatabase;
let database: DataSource;
const vault = new Vault([randomBytes(32)]);

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  await migrate(database);
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const insert = async (sql: string, parameters: unknown[]): Promise<void> => {
  await database.query(sql, parameters);
};

describeLcmStore('PostgreSQL', () => ({
  store: new PgLcmStore(database, vault),
  addPackage: ({ id, model, files }) =>
    insert(
      `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state, model, files) VALUES ($1, 't', 'ONBOARDED', 'ENABLED', $2, $3)`,
      [id, JSON.stringify(model), JSON.stringify(files)],
    ),
  addInstance: async (record) => {
    await database.manager.insert(VnfInstanceEntity, instanceRow(record, vault) as never);
  },
  accept: (opOcc) =>
    database.transaction(async (manager) => {
      await manager.query(
        `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, $2, $3, 'accepted', 1)`,
        [opOcc.id, opOcc.operation, opOcc.tenant],
      );
      await manager.insert(VnfLcmOpOccEntity, opOccRow(opOcc, vault) as never);
    }),
  addVim: ({ id, tenant, isDefault, access, cluster }) => {
    const credentials = { username: access.username, password: access.password, user_domain_name: access.userDomainName };
    return insert(
      `INSERT INTO vim.vim (id, tenant, name, type, auth_url, vim_project, auth_cred, is_default) VALUES ($1::uuid, $2, $1::uuid::text, $7, $3, $4, $5, $6)`,
      [
        id,
        tenant,
        access.authUrl,
        JSON.stringify({ name: access.projectName, project_domain_name: access.projectDomainName }),
        vault.sealJson(credentials, vimCredentialPlace(id)),
        isDefault,
        cluster === undefined ? 'openstack' : 'kubernetes',
      ],
    );
  },
  addDriver: (description) =>
    insert('INSERT INTO lcm.driver (name, description) VALUES ($1, $2)', [description.driver, JSON.stringify(description)]),
  changes: async () => {
    const subscriptions = new PgSubscriptions(database, vault);
    const everything = { tenant: TENANT, api: 'vnflcm-v1', callbackUri: 'http://subscriber.example/' } as const;
    await subscriptions.add(database.manager, everything, 1_000);
    const id = await subscriptions.equalTo(everything);
    const waiting = await new PgNotificationOutbox(database, vault).waiting(id ?? '', 1_000);
    return waiting.map(({ facts }) => facts as unknown as LcmChange);
  },
  events: () => rowsOf<LcmEvent>(database.manager, 'SELECT subject, message FROM lcm.outbox ORDER BY id'),
}));

describe('a record in a transaction that remembers', () => {
  it('is what was read or saved, whatever its reader has made of it since', async () => {
    const store = new PgLcmStore(database, vault);
    const vnfPkgId = randomUUID();
    await insert(
      `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state) VALUES ($1, $2, 'ONBOARDED', 'ENABLED')`,
      [vnfPkgId, TENANT],
    );
    const instance = instanceRecord({ id: randomUUID(), vnfPkgId });
    const opOcc = opOccRecord({ id: randomUUID(), vnfInstanceId: instance.id, request: { flavourId: 'f', of: ['a'] } });
    await database.manager.insert(VnfInstanceEntity, instanceRow(instance, vault) as never);
    await insert(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'INSTANTIATE', $2, 'accepted', 1)`,
      [opOcc.id, opOcc.tenant],
    );
    await database.manager.insert(VnfLcmOpOccEntity, opOccRow(opOcc, vault) as never);

    const seen = await inTransaction(
      database,
      async (manager) => {
        const first = await store.opOcc(manager, opOcc.id);
        first.request.of = ['changed, and not saved'];
        const second = await store.opOcc(manager, opOcc.id);
        second.request.of = ['saved'];
        await store.saveOpOcc(manager, second);
        second.request.of = ['changed after it was saved'];
        const third = await store.opOcc(manager, opOcc.id);
        third.request.of = ['changed, and not saved'];
        return (await store.opOcc(manager, opOcc.id)).request;
      },
      { remembers: true },
    );
    expect(seen).toEqual({ flavourId: 'f', of: ['saved'] });
    const kept = await store.transact((handle) => store.opOcc(handle, opOcc.id));
    expect(kept.request).toEqual({ flavourId: 'f', of: ['saved'] });
  });
});

describe('the age of an operation', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['ahead', hours(5)],
    ['behind', 0 - hours(5)],
  ])('is PostgreSQL’s word alone, where the clock of who asks is hours %s', async (_how, by) => {
    const id = randomUUID();
    await insert(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, created_at)
       VALUES ($1, 'INSTANTIATE', $2, 'accepted', 1, clock_timestamp() - interval '10 minutes')`,
      [id, TENANT],
    );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + by });
    const store = new PgLcmStore(database, vault);
    const age = await store.transact((handle) => store.ageOfOpOcc(handle, id));
    expect(age).toBeGreaterThanOrEqual(minutes(10));
    expect(age).toBeLessThan(minutes(15));
  });
});
