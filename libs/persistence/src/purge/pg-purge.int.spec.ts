import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { days } from '@windlass/foundation';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { PgEnrolments } from '../enrolment/pg-enrolments.js';
import { PgJournal } from '../engine/pg-journal.js';
import { Vault } from '../sealing/vault.js';
import { PgAuditTrail, type RequestEntry } from '../trail/pg-audit-trail.js';
import { PgPurge } from './pg-purge.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 6 });
  await migrate(database);
});

beforeEach(() => database.query('TRUNCATE lcm.operation CASCADE'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const STATUSES = ['accepted', 'running', 'rolling-back', 'stopping', 'suspended', 'completed', 'rolled-back', 'abandoned'];

/** An operation with one step and its input, in this status for so many days. */
async function operation(status: string, age: number): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, status_since)
     VALUES ($1, 'TEST', 't', $2, 1, clock_timestamp() - make_interval(days => $3))`,
    [id, status, age],
  );
  await database.query(
    `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
       attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
     VALUES ($1, 's', 0, 'make', 1, 'maker', '[]', '[]', '[]', '{}', 'do', 'done', 1, 1, 1, false, 0, true, false, 0)`,
    [id],
  );
  await new PgJournal(database, new Vault([randomBytes(32)])).transact(id, (tx) => tx.writePayload('s', 'input', { a: 1 }));
  return id;
}

const left = async (table: string): Promise<string[]> =>
  (
    await rowsOf<{ id: string }>(
      database.manager,
      `SELECT DISTINCT ${table === 'operation' ? 'id' : 'operation_id'} AS id FROM lcm.${table}`,
    )
  ).map(({ id }) => id);

describe('purging', () => {
  it('removes keys that nobody has asked with for a week, if whoever comes back with one enrols anew', async () => {
    const enrolments = new PgEnrolments(database);
    const purge = new PgPurge(database);
    const hash = randomBytes(32);
    await enrolments.keepStanding(['standing', 'withdrawn'].map((id) => ({ id, service: 'maker', hash })));
    await enrolments.addToken({ id: 'once', service: 'maker', hash, uses: 5, createdBy: 'somebody' });
    await enrolments.addToken({ id: 'soon over', service: 'maker', hash, validFor: 3_600, createdBy: 'somebody' });
    const key = (id: string, tokenId: string) => enrolments.enrol({ id, service: 'maker', publicKey: id, worker: id }, tokenId);
    for (const id of ['gone', 'asks', 'revoked']) await key(id, 'standing');
    for (const id of ['withdrawn', 'once', 'soon over']) await key(`by ${id}`, id);
    await enrolments.revokeKey('revoked');
    await enrolments.revokeToken('withdrawn');
    await database.query(`UPDATE lcm.worker_key SET seen_at = clock_timestamp() - interval '8 days'`);
    await key('young', 'standing');
    await enrolments.seen('asks');
    expect([await purge.keys(days(7)), await purge.keys(days(7))]).toEqual([1, 0]);
    const kept = (await enrolments.keys()).map(({ id }) => id).sort();
    expect(kept).toEqual(['asks', 'by once', 'by soon over', 'by withdrawn', 'revoked', 'young']);
    expect(await enrolments.key('gone')).toBeUndefined();
    expect(await key('gone', 'standing')).toBe(true);
    expect(await enrolments.key('gone')).toMatchObject({ service: 'maker', revoked: false });
    expect(await key('revoked', 'standing')).toBe(false);
  });

  it('removes journals of what is final long enough, and nothing of what is not', async () => {
    const old = new Map<string, string>();
    for (const status of STATUSES) old.set(status, await operation(status, 30));
    const young = await operation('completed', 1);
    expect(await new PgPurge(database).journals(days(14))).toBe(3);
    const kept = [...STATUSES.slice(0, 5).map((status) => old.get(status)!), young].sort();
    expect((await left('step')).sort()).toEqual(kept);
    expect(await left('operation')).toHaveLength(STATUSES.length + 1);
    expect(await new PgPurge(database).journals(days(14))).toBe(0);
  });

  it('removes inputs and outputs of what is final however young, and of nothing else', async () => {
    const young = new Map<string, string>();
    for (const status of STATUSES) young.set(status, await operation(status, 0));
    const purge = new PgPurge(database, { operations: 2, entries: 2 });
    expect([await purge.payloads(), await purge.payloads(), await purge.payloads()]).toEqual([2, 1, 0]);
    expect((await left('payload')).sort()).toEqual(
      STATUSES.slice(0, 5)
        .map((status) => young.get(status)!)
        .sort(),
    );
    expect(await left('step')).toHaveLength(STATUSES.length);
  });

  it('removes operations later than their journals, and only final ones', async () => {
    for (const status of STATUSES) await operation(status, 200);
    const young = await operation('completed', 30);
    expect(await new PgPurge(database).operations(days(180))).toBe(3);
    expect(await left('operation')).toHaveLength(6);
    expect(await left('operation')).toContain(young);
  });

  it('removes internal operations that have ended with their journals, whole, and none that is still pending', async () => {
    const internal = async (status: string, state: string, age: number): Promise<string> => {
      const id = await operation(status, age);
      await database.query(`UPDATE lcm.operation SET kind = 'CLEAN_UP' WHERE id = $1`, [id]);
      await database.query(`INSERT INTO lcm.internal_operation (id, subject, state) VALUES ($1, '', $2)`, [id, state]);
      return id;
    };
    await internal('completed', 'DONE', 30);
    await internal('abandoned', 'GIVEN_UP', 30);
    const kept = [
      await internal('suspended', 'PENDING', 300),
      await internal('completed', 'PENDING', 30),
      await internal('completed', 'DONE', 1),
      await operation('completed', 30),
    ].sort();
    const purge = new PgPurge(database, { operations: 1, entries: 1 });
    expect([await purge.internals(days(14)), await purge.internals(days(14)), await purge.internals(days(14))]).toEqual([
      1, 1, 0,
    ]);
    for (const table of ['operation', 'step', 'payload']) expect((await left(table)).sort()).toEqual(kept);
    const rows = await rowsOf(database.manager, 'SELECT FROM lcm.internal_operation');
    expect(rows).toHaveLength(3);
  });

  it('goes in batches, and passes by what another replica has locked', async () => {
    for (let n = 0; n < 5; n++) await operation('completed', 30);
    const purge = new PgPurge(database, { operations: 2, entries: 2 });
    await database.transaction(async (other) => {
      await other.query('SELECT id FROM lcm.operation ORDER BY status_since LIMIT 1 FOR UPDATE');
      expect([await purge.journals(days(1)), await purge.journals(days(1)), await purge.journals(days(1))]).toEqual([2, 2, 0]);
    });
    expect(await purge.journals(days(1))).toBe(1);
  });

  it('looks at no more operations than it removes, however many are kept', async () => {
    await operation('completed', 30);
    await database.query(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, status_since)
       SELECT gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'CLEAN_UP' ELSE 'HEAL' END, 't', 'completed', 1, clock_timestamp() - make_interval(mins => n)
       FROM generate_series(1, 5000) AS n`,
    );
    await database.query(
      `INSERT INTO lcm.internal_operation (id, subject, state) SELECT id, '', 'DONE' FROM lcm.operation WHERE kind = 'CLEAN_UP'`,
    );
    await database.query('ANALYZE lcm.operation, lcm.internal_operation');
    // As the server counts it for a session; what it counted before is not this transaction's.
    const counted = async (manager: EntityManager): Promise<number> => {
      const sql = `SELECT sum(seq_tup_read + idx_tup_fetch) AS rows FROM pg_stat_xact_user_tables WHERE relname IN ('operation', 'internal_operation')`;
      return Number((await rowsOf<{ rows: string }>(manager, sql))[0]?.rows);
    };
    const looked = await database.transaction(async (manager) => {
      const before = await counted(manager);
      // One at a time: of so small a table PostgreSQL reads all for fifty, and is right.
      const purge = new PgPurge({ manager } as DataSource, { operations: 1, entries: 1 });
      expect(await purge.journals(days(14))).toBe(1);
      expect(await purge.internals(days(14))).toBe(0);
      expect(await purge.operations(days(20))).toBe(1);
      return (await counted(manager)) - before;
    });
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(50);
  });
});

const entry: RequestEntry = {
  requestId: randomUUID(),
  tenant: 't',
  actor: 'a',
  roles: ['admin'],
  remoteAddress: '127.0.0.1',
  method: 'POST',
  resource: '/vnflcm/v1/vnf_instances',
  status: 201,
  code: null,
  operation: null,
  vnfInstanceId: null,
  operationId: null,
  detail: null,
};

describe('the audit trail', () => {
  const age = (interval: string): Promise<unknown> =>
    database.query(`INSERT INTO lcm.audit_trail (kind, tenant, at) VALUES ('request', 'old', clock_timestamp() - $1::interval)`, [
      interval,
    ]);
  const trail = (): PgAuditTrail => new PgAuditTrail(database);

  it('takes no change, no deletion and no truncation, not even of old entries', async () => {
    await trail().add(entry);
    await age('900 days');
    for (const sql of ['UPDATE lcm.audit_trail SET actor = NULL', 'DELETE FROM lcm.audit_trail', 'TRUNCATE lcm.audit_trail'])
      await expect(database.query(sql)).rejects.toThrow('append-only');
    const entries = await trail().page({ tenant: 't', unowned: false }, {}, undefined, 10);
    expect(entries).toMatchObject([{ kind: 'request', actor: 'a', status: 201 }]);
  });

  it('holds nothing of a transaction that fails', async () => {
    const of = { ...entry, tenant: 'failing' };
    const failing = database.transaction(async (manager) => {
      await trail().add(of, manager);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await trail().page({ tenant: 'failing', unowned: false }, {}, undefined, 10)).toEqual([]);
  });

  it('is read page by page, by time, actor and id, and only by its project', async () => {
    const id = randomUUID();
    for (let n = 0; n < 5; n++)
      await trail().add({ ...entry, tenant: 'paged', actor: `a${n % 2}`, vnfInstanceId: n === 3 ? id : null });
    const scope = { tenant: 'paged', unowned: false };
    const first = await trail().page(scope, {}, undefined, 3);
    const second = await trail().page(scope, {}, first.at(-1)!.id, 3);
    expect([...first, ...second].map(({ actor }) => actor)).toEqual(['a0', 'a1', 'a0', 'a1', 'a0']);
    expect(await trail().page(scope, { vnfInstanceId: id }, undefined, 10)).toHaveLength(1);
    expect(await trail().page(scope, { actor: 'a1' }, undefined, 10)).toHaveLength(2);
    // Several may be of one millisecond, which is as exact as times are told and asked for.
    const { at } = first[2]!;
    const earlier = [...first, ...second].filter((each) => each.at < at);
    expect(await trail().page(scope, { before: at }, undefined, 10)).toHaveLength(earlier.length);
    expect(await trail().page(scope, { from: at }, undefined, 10)).toHaveLength(5 - earlier.length);
    expect(await trail().page({ tenant: 'else', unowned: false }, {}, undefined, 10)).toEqual([]);
  });
});
