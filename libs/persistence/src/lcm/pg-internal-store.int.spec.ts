import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { NewInternal } from '@windlass/lifecycle';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { PgInternalLooks } from './pg-internal-looks.js';
import { PgLcmStore } from './pg-lcm-store.js';

let server: TestDatabase;
let database: DataSource;
let store: PgLcmStore;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  await migrate(database);
  store = new PgLcmStore(database, new Vault([randomBytes(32)]));
});

beforeEach(() => database.query('TRUNCATE lcm.operation, lcm.outbox CASCADE'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const access = {
  connectionId: 'c',
  authUrl: 'http://vim',
  username: 'u',
  password: 'hunter2-hunter2',
  userDomainName: 'Default',
  projectName: 'p',
  projectDomainName: 'Default',
  verifyTls: true,
};

const cleanUp = (vnfInstanceId: string): NewInternal<'CLEAN_UP'> => ({
  kind: 'CLEAN_UP',
  tenant: 't',
  vnfInstanceId,
  vimId: null,
  subject: { vim: { choice: { connectionId: 'c' }, access }, stack: { name: 's' }, images: ['i'], vims: [] },
});

/** An operation occurrence in a state, entered so many seconds ago. */
async function occurrence(vnfInstanceId: string, state: string, secondsAgo: number): Promise<void> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'INSTANTIATE', 't', 'completed', 1)`,
    [id],
  );
  await database.query(
    `INSERT INTO lcm.vnf_lcm_op_occ (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time, is_automatic_invocation, request)
     VALUES ($1, 't', $2, 'INSTANTIATE', $3, clock_timestamp() - make_interval(secs => $4), clock_timestamp(), false, '')`,
    [id, vnfInstanceId, state, secondsAgo],
  );
}

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

describe('internal sagas in PostgreSQL', () => {
  it('begin with a wake-up and a sealed subject, in the caller’s transaction', async () => {
    const vnf = randomUUID();
    const id = await store.transact((handle) => store.beginInternal(handle, cleanUp(vnf)));
    expect(await store.internal(database.manager, id)).toMatchObject({
      ...cleanUp(vnf),
      state: 'PENDING',
      attempts: 0,
      retryAt: null,
    });
    const [row] = await rowsOf<{ subject: Buffer }>(database.manager, 'SELECT subject FROM lcm.internal_operation');
    expect(row?.subject.includes('hunter2')).toBe(false);
    expect(await rowsOf(database.manager, `SELECT message FROM lcm.outbox WHERE subject LIKE 'windlass.step.%'`)).toEqual([
      { message: { operationId: id, stepId: '@begin', epoch: 0 } },
    ]);
    const failing = store.transact(async (handle) => {
      await store.beginInternal(handle, cleanUp(randomUUID()));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rowsOf(database.manager, 'SELECT id FROM lcm.internal_operation')).toEqual([{ id }]);
  });

  it('are counted by kind as long as they are pending, with the age of the oldest, over all projects', async () => {
    const begin = (tenant: string) =>
      store.transact((handle) => store.beginInternal(handle, { ...cleanUp(randomUUID()), tenant }));
    const [old, young, done] = [await begin('t'), await begin('other'), await begin('t')];
    const age = (id: string, seconds: number) =>
      database.query('UPDATE lcm.operation SET created_at = created_at - make_interval(secs => $2) WHERE id = $1', [id, seconds]);
    await age(old, 3_600);
    await age(young, 60);
    await age(done, 86_400);
    const record = await store.internal(database.manager, done);
    await store.saveInternal(database.manager, { ...record, state: 'DONE' });
    await occurrence(randomUUID(), 'PROCESSING', 100_000);
    const counted = await store.pendingInternals(database.manager);
    expect(counted).toMatchObject([
      { kind: 'AUDIT', pending: 0, oldestAge: 0 },
      { kind: 'CLEAN_UP', pending: 2 },
      { kind: 'REFRESH', pending: 0, oldestAge: 0 },
      { kind: 'SNAPSHOT', pending: 0, oldestAge: 0 },
    ]);
    expect(counted[1]?.oldestAge).toBeGreaterThanOrEqual(3_600);
    expect(counted[1]?.oldestAge).toBeLessThan(3_660);
  });

  it('are due again when their pause is over, and not before or after their end', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(() => store.transact((handle) => store.beginInternal(handle, cleanUp(randomUUID())))),
    );
    const retries = [
      { state: 'PENDING', retryAt: ago(1) },
      { state: 'PENDING', retryAt: ago(-60) },
      { state: 'DONE', retryAt: ago(1) },
    ] as const;
    for (const [index, change] of retries.entries()) {
      const record = await store.internal(database.manager, ids[index] ?? '');
      await store.saveInternal(database.manager, { ...record, ...change });
    }
    expect(await new PgInternalLooks(database).toBeMoved(10)).toEqual([
      { id: ids[0], kind: 'CLEAN_UP', givesWay: false, attempts: 0, reason: null },
    ]);
  });

  it('keep operations from beginning while something of the instance is removed', async () => {
    const vnf = randomUUID();
    const id = await store.transact((handle) => store.beginInternal(handle, cleanUp(vnf)));
    expect(await store.isCleanedUp(database.manager, vnf)).toBe(true);
    expect(await store.isCleanedUp(database.manager, randomUUID())).toBe(false);
    await store.saveInternal(database.manager, { ...(await store.internal(database.manager, id)), state: 'DONE' });
    expect(await store.isCleanedUp(database.manager, vnf)).toBe(false);
  });

  it('see an operation that is not final, and one that ended after they looked', async () => {
    const [flying, ended] = [randomUUID(), randomUUID()];
    await occurrence(flying, 'FAILED_TEMP', 100);
    await occurrence(ended, 'COMPLETED', 10);
    const seen = (vnf: string, since: Date) => store.operatedSince(database.manager, vnf, since);
    expect(await Promise.all([seen(flying, ago(1)), seen(ended, ago(30)), seen(ended, ago(1))])).toEqual([true, true, false]);
  });
});

describe('an audit’s look at the database', () => {
  const audited = (since?: Date) => store.transact((handle) => store.auditView(handle, since));

  it('counts as busy what is in flight, what is cleaned up, and what has changed since the first look', async () => {
    const [flying, ended, cleaned] = [randomUUID(), randomUUID(), randomUUID()];
    await occurrence(flying, 'PROCESSING', 100);
    await occurrence(ended, 'ROLLED_BACK', 10);
    await store.transact((handle) => store.beginInternal(handle, cleanUp(cleaned)));
    expect([...(await audited()).busy].sort()).toEqual([flying, cleaned].sort());
    expect([...(await audited(ago(30))).busy].sort()).toEqual([flying, ended, cleaned].sort());
  });

  it('shows clean-ups that failed so far', async () => {
    const id = await store.transact((handle) => store.beginInternal(handle, cleanUp(randomUUID())));
    expect((await audited()).waiting).toEqual([]);
    const record = await store.internal(database.manager, id);
    await store.saveInternal(database.manager, { ...record, attempts: 2, error: { status: 503, detail: 'the VIM is away' } });
    expect((await audited()).waiting).toMatchObject([{ id, attempts: 2, error: 'the VIM is away' }]);
  });
});

describe('the deployment’s id', () => {
  it('is made once with the database', async () => {
    const id = await store.deploymentId(database.manager);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await migrate(database);
    expect(await store.deploymentId(database.manager)).toBe(id);
    await expect(database.query('INSERT INTO lcm.deployment DEFAULT VALUES')).rejects.toThrow(/unique/);
  });
});
