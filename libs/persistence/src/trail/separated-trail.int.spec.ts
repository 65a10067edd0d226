import { randomBytes } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { days } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { PgPurge } from '../purge/pg-purge.js';
import { closed, insertLink, lastLink, linksWhere } from './audit-link.js';
import { ChainCheck, type ChainFinding } from './chain-check.js';
import { ChainKeys } from './chain-keys.js';
import { digestOf, entriesWhere } from './chained-entry.js';
import { PgAuditChain } from './pg-audit-chain.js';
import { separateTrail, separationOf, separationStatements, TRAIL_KEEPER } from './separation.js';

const keys = new ChainKeys([randomBytes(32)]);

let server: TestDatabase;
/** As the services connect. */
let services: DataSource;
let superuser: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  services = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  superuser = await connectDatabase({ url: server.adminUrl, applicationName: 'superuser', poolSize: 1 });
  // Several at once, as where each service of a deployment is made ready by itself.
  await Promise.all([1, 2].map(() => separateTrail({ services: server.url, admin: server.adminUrl })));
});

afterAll(async () => {
  await superuser.destroy();
  await services.destroy();
  await server.close();
});

/** Past every trigger. */
const bySuperuser = (...statements: string[]): Promise<void> =>
  superuser.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    for (const statement of statements) await manager.query(statement);
  });

const OLD = '500 days';

/** A link of so many entries, as it was made that long ago; returns their ids. */
async function oldLink(count: number, age = OLD): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    superuser.manager,
    `INSERT INTO lcm.audit_trail (kind, actor, at) SELECT 'request', 'old', clock_timestamp() - $2::interval FROM generate_series(1, $1)
     RETURNING id::text AS id`,
    [count, age],
  );
  const ids = rows.map(({ id }) => id);
  const [time] = await rowsOf<{ at: string }>(
    superuser.manager,
    `SELECT to_char((clock_timestamp() - $1::interval) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
    [age],
  );
  const last = await lastLink(superuser.manager);
  const entries = await entriesWhere(superuser.manager, 'WHERE t.id = ANY ($1::bigint[]) ORDER BY t.id', [ids]);
  const link = {
    number: (last?.number ?? 0) + 1,
    madeAt: time!.at,
    previous: last?.mac.toString('hex') ?? null,
    settled: ids.at(-1)!,
    purgedThrough: null,
    entryIds: ids,
    digests: entries.map((entry) => digestOf(entry, keys.newest)),
  };
  await insertLink(superuser.manager, closed(link, keys.newest));
  return ids;
}

async function findings(): Promise<ChainFinding[]> {
  return (await new ChainCheck(services, keys).page({ after: 0 })).findings;
}

const kept = async (): Promise<number[]> => (await linksWhere(services.manager, 'ORDER BY l.number')).map(({ number }) => number);

describe('the trail with a keeper of its own', () => {
  it('belongs to a role that nobody logs in as, and the services are no member of it', async () => {
    expect(await separationOf(services.manager)).toEqual({ separated: true, reason: null });
    const [keeper] = await rowsOf(
      superuser.manager,
      'SELECT rolcanlogin, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = $1',
      [TRAIL_KEEPER],
    );
    expect(keeper).toEqual({ rolcanlogin: false, rolsuper: false, rolcreaterole: false });
    await separateTrail({ services: server.url, admin: server.adminUrl });
  });

  it.each([
    'UPDATE lcm.audit_trail SET actor = NULL',
    'DELETE FROM lcm.audit_trail',
    'TRUNCATE lcm.audit_trail',
    'DROP TABLE lcm.audit_trail',
    'ALTER TABLE lcm.audit_trail DISABLE TRIGGER ALL',
    'CREATE TRIGGER mine BEFORE INSERT ON lcm.audit_trail FOR EACH ROW EXECUTE FUNCTION lcm.note_change()',
    `INSERT INTO lcm.audit_trail (kind, at) VALUES ('request', now() - interval '90 days')`,
    `INSERT INTO lcm.audit_trail (id, kind) OVERRIDING SYSTEM VALUE VALUES (1, 'request')`,
    'UPDATE lcm.audit_link SET settled = 0',
    'DELETE FROM lcm.audit_link',
    'DROP TABLE lcm.audit_link',
    'DROP SCHEMA lcm CASCADE',
    'ALTER SCHEMA lcm OWNER TO windlass',
    `CREATE OR REPLACE FUNCTION lcm.keep_audit_trail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'`,
    'DROP FUNCTION lcm.purge_audit_trail(timestamptz, int)',
    'ALTER FUNCTION lcm.purge_audit_trail(timestamptz, int) RESET ALL',
    `SET ROLE ${TRAIL_KEEPER}`,
    `GRANT ${TRAIL_KEEPER} TO windlass`,
    `SET session_replication_role = replica`,
  ])('refuses the services’ role, who owns the database: %s', async (sql) => {
    const attempt = services.transaction(async (manager) => {
      await manager.query(`SELECT set_config('windlass.purging_audit_trail', 'on', true)`);
      await manager.query(sql);
    });
    await expect(attempt).rejects.toThrow(/permission denied|must be (able|owner|member)/);
  });

  it('lets the services do their work: write entries, chain them, make tables of their own', async () => {
    await services.query(`INSERT INTO lcm.audit_trail (kind, actor) VALUES ('request', 'anna')`);
    expect(await new PgAuditChain(services, keys).append()).toMatchObject({ entries: 1 });
    expect(await findings()).toEqual([]);
    await services.query('CREATE TABLE lcm.other (id int)');
    await services.query('DROP TABLE lcm.other');
  });

  it('is handed over for services that are no superusers, and by one', async () => {
    const both = { services: server.adminUrl, admin: server.adminUrl };
    await expect(separateTrail(both)).rejects.toThrow('give them a role of their own');
    expect((await separationOf(superuser.manager)).reason).toContain('is a superuser');
    const other = await testPostgres();
    try {
      await expect(separateTrail({ services: other.url, admin: other.url })).rejects.toThrow('no superuser');
      // Without it everything works, and the check says so.
      const mine = await connectDatabase({ url: other.url, applicationName: 'test', poolSize: 2 });
      const dba = await connectDatabase({ url: other.adminUrl, applicationName: 'dba', poolSize: 1 });
      await migrate(mine);
      const { end } = await new ChainCheck(mine, keys).page({ after: 0 });
      expect(end?.separation).toEqual({
        separated: false,
        reason: expect.stringMatching(/^services connect as windlass, who owns .*lcm.audit_trail.*schema lcm/) as string,
      });
      // What is printed for whoever runs the database is all that it takes.
      for (const statement of separationStatements('windlass')) await dba.query(statement);
      expect((await separationOf(mine.manager)).separated).toBe(true);
      // And a service that starts finds nothing to do.
      await migrate(mine);
      await Promise.all([mine.destroy(), dba.destroy()]);
    } finally {
      await other.close();
    }
  });
});

describe('the purge', () => {
  const purge = (entries = 5_000): PgPurge => new PgPurge(services, { operations: 1, entries });

  beforeEach(() => bySuperuser('TRUNCATE lcm.audit_trail, lcm.audit_link'));

  it('refuses what is younger than 30 days, whoever asks, and what the chain does not say is over', async () => {
    await expect(purge().trail(days(29))).rejects.toThrow('30 days at least');
    await expect(new PgAuditChain(services, keys).markOld(days(29))).rejects.toThrow('30 days at least');
    const call = superuser.query(`SELECT lcm.purge_audit_trail('infinity', 1000)`);
    await expect(call).rejects.toThrow('30 days at least');
    await oldLink(2);
    expect(await purge().trail(days(400))).toBe(0);
  });

  it('takes whole links that are old enough, leaves a chain that can be checked, and says in the trail what went', async () => {
    const ids = [...(await oldLink(3)), ...(await oldLink(2))];
    const young = await oldLink(2, '40 days');
    const chain = new PgAuditChain(services, keys);
    expect(await chain.markOld(days(400))).toBeUndefined();
    // What is marked may be there or not.
    expect(await findings()).toEqual([]);
    let removed = 0;
    for (let last = 1; last > 0; removed += last) last = await purge(3).trail(days(400));
    expect(removed).toBe(5);
    const left = await rowsOf<{ id: string }>(services.manager, 'SELECT id::text AS id FROM lcm.audit_trail');
    expect(left.map(({ id }) => id)).toEqual(expect.arrayContaining(young));
    for (const id of ids) expect(left).not.toContainEqual({ id });
    expect(await kept()).toEqual([3, 4]);
    await chain.append();
    expect(await findings()).toEqual([]);
    const [told] = await rowsOf<{ detail: Record<string, number> }>(
      services.manager,
      `SELECT detail FROM lcm.audit_trail WHERE kind = 'purge' ORDER BY id LIMIT 1`,
    );
    expect(told?.detail).toMatchObject({ removed: 3, throughLink: 1 });
    // An entry of a link behind those is missed as before.
    await bySuperuser(`DELETE FROM lcm.audit_trail WHERE id = ${young[0]}`);
    expect(await findings()).toMatchObject([{ kind: 'entry-missing', entries: [young[0]] }]);
  });

  it('takes no young entry by a link that the services’ role made up', async () => {
    await services.query(`INSERT INTO lcm.audit_trail (kind, actor) VALUES ('request', 'mallory')`);
    await new PgAuditChain(services, keys).append();
    const last = (await lastLink(services.manager))!;
    const forger = new ChainKeys([randomBytes(32)]).newest;
    const mark = { ...last, number: last.number + 1, previous: null, entryIds: [], digests: [], purgedThrough: last.number };
    await insertLink(services.manager, closed(mark, forger));
    await expect(purge().trail(days(31))).rejects.toThrow('are to be purged, but one has an entry of');
    const found = await rowsOf(services.manager, `SELECT FROM lcm.audit_trail WHERE actor = 'mallory'`);
    expect(found).toHaveLength(1);
    expect((await findings()).map(({ kind }) => kind)).toContain('key-unknown');
  });

  it('does not go by the database’s clock, which its owner sets', async () => {
    await oldLink(1, '31 days');
    await superuser.query(`CREATE SCHEMA ahead`);
    await superuser.query('GRANT USAGE ON SCHEMA ahead TO PUBLIC');
    await superuser.query(
      `CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '900 days' $$`,
    );
    const url = new URL(server.url);
    url.searchParams.set('options', '-csearch_path=ahead,pg_catalog');
    const deceived = await connectDatabase({ url: url.href, applicationName: 'deceived', poolSize: 1 });
    const [row] = await rowsOf<{ ahead: boolean }>(
      deceived.manager,
      `SELECT clock_timestamp() > now() + interval '800 days' AS ahead`,
    );
    expect(row?.ahead).toBe(true);
    await new PgAuditChain(deceived, keys).markOld(days(400));
    await expect(new PgPurge(deceived, { operations: 1, entries: 10 }).trail(days(400))).rejects.toThrow('30 days at least');
    await deceived.destroy();
    expect(await kept()).toEqual([1]);
  });

  it('stops before a link that is not as it was made, so that what shows it stays', async () => {
    for (const age of [OLD, OLD, OLD, '1 day']) await oldLink(1, age);
    await bySuperuser('UPDATE lcm.audit_link SET settled = settled + 1 WHERE number = 2');
    const chain = new PgAuditChain(services, keys);
    expect(await chain.markOld(days(400))).toBe(
      'link 2 of the audit trail is not as it was made, so nothing from there on is purged',
    );
    expect(await purge().trail(days(400))).toBe(1);
    expect(await kept()).toEqual([2, 3, 4, 5]);
  });
});
