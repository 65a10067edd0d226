import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { hours } from '@windlass/foundation';
import { GAVE_WAY } from '@windlass/lifecycle';
import { instanceRecord, TENANT } from '@windlass/lifecycle/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { insertInstance } from '../lcm/new-instance.js';
import { PgInternalLooks } from '../lcm/pg-internal-looks.js';
import { PgLcmStore } from '../lcm/pg-lcm-store.js';
import { Vault } from '../sealing/vault.js';
import { PgSnapshotSchedule } from './pg-snapshot-schedule.js';

const vault = new Vault([randomBytes(32)]);
const EVERY = hours(24);
const HOOK = 'modify_information_end';

let server: TestDatabase;
let database: DataSource;
let store: PgLcmStore;
let schedule: PgSnapshotSchedule;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 5 });
  await migrate(database);
  store = new PgLcmStore(database, vault);
  schedule = new PgSnapshotSchedule(database, store);
});
beforeEach(async () => {
  await database.query('TRUNCATE lcm.operation, lcm.outbox, lcm.vnf_instance, lcm.driver, package.vnf_package CASCADE');
  await driver('clusters', [HOOK], ['keep-snapshot', 'other']);
});
afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** The ids of snapshots that give way. */
const inTheWay = async (): Promise<string[]> => {
  const moved = await new PgInternalLooks(database).toBeMoved(10);
  return moved.filter(({ givesWay }) => givesWay).map(({ id }) => id);
};

const driver = (name: string, hooks: string[], actions: string[]) =>
  database.query('INSERT INTO lcm.driver (name, description) VALUES ($1, $2)', [
    name,
    JSON.stringify({ driver: name, service: name, hooks, actions: actions.map((each) => ({ name: each, version: 1 })) }),
  ]);

/** An instance whose flavour binds the end of its instantiation to that driver. */
async function cluster(of = 'clusters', state = 'INSTANTIATED'): Promise<string> {
  const [id, vnfPkgId] = [randomUUID(), randomUUID()];
  const model = { flavours: [{ id: 'simple', lcmBindings: { instantiate_end: { implementation: of } } }] };
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state, vnfd_id, model, files)
     VALUES ($1, $2, 'ONBOARDED', 'ENABLED', gen_random_uuid(), $3, '[]')`,
    [vnfPkgId, TENANT, JSON.stringify(model)],
  );
  await database.transaction((manager) => insertInstance(manager, instanceRecord({ id, vnfPkgId }), vault));
  await database.query('UPDATE lcm.vnf_instance SET instantiated = $2, instantiation_state = $3 WHERE id = $1', [
    id,
    JSON.stringify({ info: { flavourId: 'simple' } }),
    state,
  ]);
  return id;
}

const kept = (vnfInstanceId: string, hoursAgo: number) =>
  database.query(
    `INSERT INTO lcm.cluster_snapshot (id, vnf_instance_id, operation_id, step_id, master, size, sha256, begun_at, kept_at)
     VALUES (gen_random_uuid(), $1, gen_random_uuid(), 's', 'm', 1, '', clock_timestamp() - make_interval(secs => $2), clock_timestamp())`,
    [vnfInstanceId, hoursAgo * 3_600],
  );

async function operation(vnfInstanceId: string, state: string, hoursAgo = 0): Promise<void> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'SCALE', 't', 'running', 1)`,
    [id],
  );
  await database.query(
    `INSERT INTO lcm.vnf_lcm_op_occ (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time, is_automatic_invocation, request)
     VALUES ($1, 't', $2, 'SCALE', $3, clock_timestamp() - make_interval(secs => $4), clock_timestamp(), false, '')`,
    [id, vnfInstanceId, state, hoursAgo * 3_600],
  );
}

/** An attempt of the schedule that ended so, begun so long ago. */
async function attempt(vnfInstanceId: string, hoursAgo: number, code = 'snapshot.not-kept'): Promise<string> {
  const subject = { driver: 'clusters' };
  const begin = { kind: 'SNAPSHOT', tenant: TENANT, vnfInstanceId, vimId: null, subject } as const;
  const id = await store.transact((handle) => store.beginInternal(handle, begin));
  const record = await store.internal(database.manager, id);
  await store.saveInternal(database.manager, { ...record, state: 'GIVEN_UP', error: { status: 500, detail: 'no room', code } });
  await database.query('UPDATE lcm.operation SET created_at = created_at - make_interval(secs => $2) WHERE id = $1', [
    id,
    hoursAgo * 3_600,
  ]);
  return id;
}

const begun = async (most = 10): Promise<string[]> =>
  (await schedule.begin(EVERY, most)).map(({ vnfInstanceId }) => vnfInstanceId).sort();

describe('the schedule of snapshots', () => {
  it('begins one where the newest is old, with a wake-up and the driver that made the cluster', async () => {
    const [old, fresh] = [await cluster(), await cluster()];
    await kept(old, 30);
    await kept(old, 25);
    await kept(fresh, 30);
    await kept(fresh, 23);
    const [{ operationId, vnfInstanceId } = { operationId: '', vnfInstanceId: '' }, ...others] = await schedule.begin(EVERY, 10);
    expect([vnfInstanceId, others]).toEqual([old, []]);
    expect(await store.internal(database.manager, operationId)).toMatchObject({
      kind: 'SNAPSHOT',
      tenant: TENANT,
      state: 'PENDING',
      subject: { driver: 'clusters' },
    });
    const wakeUps: unknown = await database.query(`SELECT message FROM lcm.outbox WHERE subject LIKE 'windlass.step.%'`);
    expect(wakeUps).toEqual([{ message: { operationId, stepId: '@begin', epoch: 0 } }]);
  });

  it('counts from the last operation where no snapshot is kept, and takes one of clusters that an earlier release made', async () => {
    const [made, longAgo, unknown] = [await cluster(), await cluster(), await cluster()];
    await operation(made, 'COMPLETED', 1);
    await operation(longAgo, 'COMPLETED', 25);
    expect(await begun()).toEqual([longAgo, unknown].sort());
  });

  it('leaves alone what is no cluster, is not there, or has a driver that knows of no snapshots', async () => {
    await driver('kubespray', ['instantiate_end'], ['keep-snapshot']);
    await driver('stranger', [HOOK], ['restart-everything']);
    await driver('removed', [HOOK], ['keep-snapshot']);
    await database.query(`UPDATE lcm.driver SET removed_at = clock_timestamp() WHERE name = 'removed'`);
    for (const of of ['kubespray', 'stranger', 'removed', 'nobody']) await cluster(of);
    await cluster('clusters', 'NOT_INSTANTIATED');
    expect(await begun()).toEqual([]);
    expect(await schedule.newest(10)).toEqual([]);
  });

  it('leaves an instance alone while an operation of it is not final, also one that waits for a person', async () => {
    for (const state of ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK']) {
      const busy = await cluster();
      await kept(busy, 48);
      await operation(busy, state, 30);
    }
    expect(await begun()).toEqual([]);
  });

  it('begins one at a time of an instance, and so many in the whole deployment, the oldest first', async () => {
    const ids = [await cluster(), await cluster(), await cluster(), await cluster()];
    for (const [at, id] of ids.entries()) await kept(id, 100 - at);
    expect(await begun(2)).toEqual(ids.slice(0, 2).sort());
    expect(await begun(2)).toEqual([]);
    expect(await begun(3)).toEqual([ids[2]]);
    expect(await begun(10)).toEqual([ids[3]]);
    expect(await begun(10)).toEqual([]);
  });

  it('begins each once, however many coordinators look at the same time', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => cluster()));
    const all = await Promise.all(Array.from({ length: 12 }, () => begun()));
    expect(all.flat().sort()).toEqual(ids.sort());
  });

  it('waits an hour after an attempt, and twice as long after each that failed since the newest snapshot, a day at most', async () => {
    const cases: [dueAfter: number, failures: number[]][] = [
      [1, []],
      [2, [30]],
      [4, [40, 30]],
      [24, [100, 90, 80, 70, 60, 50, 40]],
    ];
    for (const [dueAfter, earlier] of cases) {
      const [early, late] = [await cluster(), await cluster()];
      for (const each of [early, late]) {
        await attempt(each, 300);
        await kept(each, 200);
        for (const ago of earlier) await attempt(each, ago);
      }
      await attempt(early, dueAfter - 0.1);
      await attempt(late, dueAfter + 0.1);
      expect(await begun(), `after ${earlier.length + 1}`).toEqual([late]);
      await database.query(`UPDATE lcm.internal_operation SET state = 'DONE'`);
      await database.query(`UPDATE lcm.vnf_instance SET instantiation_state = 'NOT_INSTANTIATED'`);
    }
  });

  it('does not wait longer for having given way', async () => {
    const id = await cluster();
    for (const ago of [9, 7, 5, 3, 1.1]) await attempt(id, ago, GAVE_WAY);
    expect(await begun()).toEqual([id]);
  });

  it('finds those in flight that an operation came in the way of, and no other', async () => {
    const [one, other] = [await cluster(), await cluster()];
    const sagas = await schedule.begin(EVERY, 10);
    await operation(one, 'COMPLETED');
    expect(await inTheWay()).toEqual([]);
    await operation(one, 'STARTING');
    await operation(other, 'FAILED');
    expect(await inTheWay()).toEqual([sagas.find(({ vnfInstanceId }) => vnfInstanceId === one)?.operationId]);
  });

  it('gives way also where the instance was terminated, or is gone, before anybody looked', async () => {
    const [stands, terminated, gone] = [await cluster(), await cluster(), await cluster()];
    const sagas = await schedule.begin(EVERY, 10);
    const sql = `UPDATE lcm.vnf_instance SET instantiation_state = 'NOT_INSTANTIATED' WHERE id = $1`;
    await database.query(sql, [terminated]);
    await database.query('DELETE FROM lcm.vnf_instance WHERE id = $1', [gone]);
    const wanted = sagas.filter(({ vnfInstanceId }) => vnfInstanceId !== stands).map(({ operationId }) => operationId);
    expect((await inTheWay()).sort()).toEqual(wanted.sort());
  });

  it('tells how its attempts went, the newest first', async () => {
    const id = await cluster();
    await attempt(id, 5, GAVE_WAY);
    await attempt(id, 3);
    await schedule.begin(EVERY, 10);
    expect(await schedule.attempts(id, 2)).toMatchObject([
      { state: 'RUNNING', reason: null },
      { state: 'FAILED', reason: 'no room' },
    ]);
    expect((await schedule.attempts(id, 10)).at(-1)).toMatchObject({ state: 'GAVE_WAY' });
  });

  it('tells when the newest snapshots were taken, those of clusters without one first, so many', async () => {
    const [none, old, young] = [await cluster(), await cluster(), await cluster()];
    await kept(old, 50);
    await kept(young, 2);
    const seen = await schedule.newest(2);
    expect(seen.map(({ vnfInstanceId }) => vnfInstanceId)).toEqual([none, old]);
    expect(seen[0]?.takenAt).toBe(0);
    expect(Math.abs((seen[1]?.takenAt ?? 0) - (Date.now() / 1_000 - 50 * 3_600))).toBeLessThan(600);
  });
});
