import { randomBytes } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { closed, headOf, insertLink, lastLink, linksWhere, parseHead } from './audit-link.js';
import { ChainCheck, type ChainFinding } from './chain-check.js';
import { ChainKeys } from './chain-keys.js';
import { CHAINED_COLUMNS } from './chained-entry.js';
import { PgAuditChain } from './pg-audit-chain.js';

const masterKey = randomBytes(32);
const keys = new ChainKeys([masterKey]);

let server: TestDatabase;
let database: DataSource;
/** A superuser of PostgreSQL, who has no master key. */
let superuser: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 8 });
  superuser = await connectDatabase({ url: server.adminUrl, applicationName: 'superuser', poolSize: 1 });
  await migrate(database);
});

beforeEach(() => bySuperuser('TRUNCATE lcm.audit_trail, lcm.audit_link'));

afterAll(async () => {
  await superuser.destroy();
  await database.destroy();
  await server.close();
});

/** Past every trigger. */
const bySuperuser = (...statements: string[]): Promise<void> =>
  superuser.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    for (const statement of statements) await manager.query(statement);
  });

/** Entries as the services write them; returns their ids. */
async function written(count: number, manager: EntityManager = database.manager): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    manager,
    `INSERT INTO lcm.audit_trail (kind, tenant, actor, roles, remote_address, method, resource, status, detail)
     SELECT 'request', 't', 'anna', ARRAY['admin', 'a "b"'], '10.0.0.' || n, 'POST', '/vnflcm/v1/vnf_instances', 201, '{"n": 1}'
     FROM generate_series(1, $1) AS n RETURNING id::text AS id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

const chained = async (): Promise<string[]> =>
  (await linksWhere(database.manager, 'ORDER BY l.number')).flatMap(({ entryIds }) => entryIds);

/** All findings, page after page. */
async function findings(head?: string, by: ChainKeys = keys): Promise<ChainFinding[]> {
  const check = new ChainCheck(database, by);
  const known = head === undefined ? undefined : parseHead(head);
  const found: ChainFinding[] = [];
  for (let after: number | null = known?.number ?? 0; after !== null;) {
    const page = await check.page({ after, ...(known === undefined || found.length > 0 ? {} : { head: known }) });
    found.push(...page.findings);
    after = page.next;
  }
  return found;
}

const chain = (size?: number, by: ChainKeys = keys): PgAuditChain => new PgAuditChain(database, by, size);

/** Links until nothing is left. */
async function all(one: PgAuditChain): Promise<void> {
  for (let full = true; full;) ({ full } = await one.append());
}

describe('the chain', () => {
  it('takes in every entry once, in bounded links, those that were there before it too, and costs nothing where nothing is new', async () => {
    const ids = await written(23);
    const one = chain(5);
    await all(one);
    expect(await chained()).toEqual(ids);
    expect((await linksWhere(database.manager, 'ORDER BY l.number')).map(({ entryIds }) => entryIds.length)).toEqual([
      5, 5, 5, 5, 3,
    ]);
    expect(await one.append()).toMatchObject({ entries: 0, troubles: [] });
    expect(await findings()).toEqual([]);
    const last = (await lastLink(database.manager))!;
    expect(await new ChainCheck(database, keys).head()).toBe(headOf(last));
  });

  it('leaves out no transaction that commits late, though entries with greater ids were chained long before', async () => {
    const one = chain();
    let late: string[] = [];
    await database.transaction(async (open) => {
      late = await written(2, open);
      for (let n = 0; n < 3; n++) {
        await written(3);
        await all(one);
      }
      expect(await findings()).toEqual([]);
    });
    await all(one);
    const after = await written(1);
    await all(one);
    const ids = await chained();
    expect(ids.slice(-3)).toEqual([...late, ...after]);
    expect(new Set(ids).size).toBe(12);
    expect(await findings()).toEqual([]);
    expect((await lastLink(database.manager))?.settled).toBe(after[0]);
  });

  it('has each entry once when many write and two coordinators chain at the same time', async () => {
    const coordinators = [chain(7), chain(7)];
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; n < 15; n++) await database.transaction((manager) => written(1 + (n % 3), manager));
      }),
    ).finally(() => (writing = false));
    const chaining = Promise.all(
      coordinators.map(async (one) => {
        while (writing) await one.append();
      }),
    );
    await Promise.all([writers, chaining]);
    for (const one of coordinators) await all(one);
    expect((await chained()).map(Number).sort((a, b) => a - b)).toHaveLength(120);
    expect(new Set(await chained()).size).toBe(120);
    expect(await findings()).toEqual([]);
  });

  it('loses nothing when a coordinator dies between reading entries and the commit of their link', async () => {
    const dying = chain();
    await written(3);
    await database.query(
      `CREATE FUNCTION pg_temp_die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'died'; END $$`,
    );
    await database.query('CREATE TRIGGER die BEFORE INSERT ON lcm.audit_link FOR EACH ROW EXECUTE FUNCTION pg_temp_die()');
    await expect(dying.append()).rejects.toThrow('died');
    await database.query('DROP TRIGGER die ON lcm.audit_link');
    await database.query('DROP FUNCTION pg_temp_die');
    await all(dying);
    expect(await chained()).toHaveLength(3);
    expect(await findings()).toEqual([]);
  });

  it('covers every column that an entry has', async () => {
    const columns = await rowsOf<{ name: string }>(
      database.manager,
      `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'lcm' AND table_name = 'audit_trail'`,
    );
    expect(columns.map(({ name }) => name).sort()).toEqual([...CHAINED_COLUMNS].sort());
  });

  it('is checked with older master keys, too, and says which one is missing', async () => {
    await written(1);
    await all(chain());
    const rotated = new ChainKeys([randomBytes(32), masterKey]);
    await written(1);
    await all(chain(undefined, rotated));
    expect(await findings(undefined, rotated)).toEqual([]);
    expect(await findings()).toMatchObject([{ kind: 'key-unknown', link: 2 }]);
  });

  it('goes on in a database that it was restored into', async () => {
    await written(7);
    await all(chain(3));
    await written(2);
    const restored = await testPostgres();
    const there = await connectDatabase({ url: restored.url, applicationName: 'test', poolSize: 4 });
    try {
      await migrate(there);
      for (const table of ['lcm.audit_trail', 'lcm.audit_link']) {
        const [{ rows }] = (await rowsOf<{ rows: string }>(
          database.manager,
          `SELECT json_agg(t)::text AS rows FROM ${table} AS t`,
        )) as [{ rows: string }];
        await there.query(
          `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1)`,
          [rows],
        );
      }
      await there.query(`SELECT setval('lcm.audit_trail_id_seq', (SELECT max(id) FROM lcm.audit_trail))`);
      await written(2, there.manager);
      await all(new PgAuditChain(there, keys));
      const page = await new ChainCheck(there, keys).page({ after: 0 });
      expect(page).toMatchObject({ entries: 11, findings: [], end: { waiting: 0 } });
    } finally {
      await there.destroy();
      await restored.close();
    }
  });

  it('begins anew where a DBA took it away, with all entries, and says that the old one is gone', async () => {
    await written(4);
    const one = chain(2);
    await all(one);
    await bySuperuser('TRUNCATE lcm.audit_link');
    expect((await one.append()).troubles).toEqual(['link 2 of the audit trail is gone: the last one is none']);
    await all(one);
    expect(await chained()).toHaveLength(4);
    expect(await findings()).toEqual([]);
  });

  it('tells what waits for its link', async () => {
    await written(4);
    const one = chain();
    expect(await one.backlog()).toMatchObject({ waiting: 4, lastLinkAge: undefined });
    await all(one);
    const backlog = await one.backlog();
    expect(backlog).toMatchObject({ waiting: 0, oldestAge: 0 });
    expect(backlog.lastLinkAge).toBeGreaterThanOrEqual(0);
  });
});

describe('the check finds what somebody did who has the database and not the key', () => {
  let ids: string[];
  let head: string;

  beforeEach(async () => {
    ids = await written(12);
    await all(chain(3));
    head = headOf((await lastLink(database.manager))!);
  });

  it.each([
    ['actor', `actor = 'bert'`],
    ['time', `at = at - interval '1 microsecond'`],
    ['roles', `roles = ARRAY['admin', 'a', 'b']`],
    ['detail', `detail = '{"n": 2}'`],
  ])('a changed entry: its %s', async (_what, change) => {
    await bySuperuser(`UPDATE lcm.audit_trail SET ${change} WHERE id = ${ids[4]}`);
    expect(await findings()).toMatchObject([{ kind: 'entry-changed', link: 2, entries: [ids[4]] }]);
  });

  it('a removed entry', async () => {
    await bySuperuser(`DELETE FROM lcm.audit_trail WHERE id IN (${ids[0]}, ${ids[11]})`);
    expect(await findings()).toMatchObject([
      { kind: 'entry-missing', link: 1, entries: [ids[0]] },
      { kind: 'entry-missing', link: 4, entries: [ids[11]] },
    ]);
  });

  it('an entry put in between', async () => {
    await bySuperuser(`DELETE FROM lcm.audit_trail WHERE id = ${ids[5]}`);
    await bySuperuser(
      `INSERT INTO lcm.audit_trail (id, kind, actor) OVERRIDING SYSTEM VALUE VALUES (${Number(ids[0]) - 1}, 'request', 'bert')`,
    );
    const found = await findings();
    expect(found).toMatchObject([
      { kind: 'entry-missing', entries: [ids[5]] },
      { kind: 'entry-inserted', entries: [String(Number(ids[0]) - 1)] },
    ]);
    // And the next links don't take it in as if it were new.
    await written(1);
    await all(chain());
    expect(await findings()).toEqual(found);
  });

  it('entries that changed places', async () => {
    await bySuperuser(
      `UPDATE lcm.audit_trail AS t SET remote_address = o.remote_address FROM lcm.audit_trail AS o
       WHERE (t.id, o.id) IN ((${ids[1]}, ${ids[7]}), (${ids[7]}, ${ids[1]}))`,
    );
    expect(await findings()).toMatchObject([
      { kind: 'entry-changed', link: 1, entries: [ids[1]] },
      { kind: 'entry-changed', link: 3, entries: [ids[7]] },
    ]);
  });

  it('a link that was changed to fit, and links that changed places', async () => {
    await bySuperuser(`UPDATE lcm.audit_link SET digests = digests || '\\x00' WHERE number = 2`);
    expect(await findings()).toMatchObject([{ kind: 'link-changed', link: 2 }]);
    await bySuperuser(
      'UPDATE lcm.audit_link SET number = 100 WHERE number = 3',
      'UPDATE lcm.audit_link SET number = 3 WHERE number = 4',
      'UPDATE lcm.audit_link SET number = 4 WHERE number = 100',
    );
    expect((await findings()).filter(({ kind }) => kind === 'link-changed').map(({ link }) => link)).toEqual([2, 3, 4]);
  });

  it('a removed link, and entries that were removed with theirs', async () => {
    await bySuperuser(
      'DELETE FROM lcm.audit_link WHERE number = 2',
      `DELETE FROM lcm.audit_trail WHERE id IN (${ids.slice(3, 6).join()})`,
    );
    expect(await findings()).toMatchObject([{ kind: 'link-missing', link: 2 }]);
  });

  it('the oldest links, removed as if they had been purged, with a forged word of it', async () => {
    await bySuperuser(
      'DELETE FROM lcm.audit_link WHERE number <= 2',
      `DELETE FROM lcm.audit_trail WHERE id IN (${ids.slice(0, 6).join()})`,
    );
    expect(await findings()).toMatchObject([{ kind: 'link-missing', link: 1, detail: 'links 1 to 2 are missing' }]);
    const last = (await lastLink(database.manager))!;
    const forger = new ChainKeys([randomBytes(32)]).newest;
    const mark = { ...last, number: 5, previous: last.mac.toString('hex'), entryIds: [], digests: [], purgedThrough: 2 };
    await insertLink(superuser.manager, closed(mark, forger));
    expect((await findings()).map(({ kind }) => kind)).toEqual(['link-missing', 'key-unknown']);
    await bySuperuser('DELETE FROM lcm.audit_link WHERE number = 5');
    await insertLink(superuser.manager, { ...closed(mark, forger), keyId: keys.newest.id });
    expect((await findings()).map(({ kind }) => kind)).toEqual(['link-missing', 'link-changed']);
  });

  it('a chain that was cut at its end, by a head that was kept elsewhere, and by a coordinator that saw it', async () => {
    const watching = chain();
    await watching.append();
    await bySuperuser(
      'DELETE FROM lcm.audit_link WHERE number = 4',
      `DELETE FROM lcm.audit_trail WHERE id IN (${ids.slice(9).join()})`,
    );
    expect(await findings()).toEqual([]);
    expect(await findings(head)).toMatchObject([{ kind: 'head-missing', link: 4 }]);
    await written(1);
    expect((await watching.append()).troubles).toEqual(['link 4 of the audit trail is gone: the last one is 3']);
    // Another link in its place is not the one that was kept.
    expect(await findings(head)).toMatchObject([{ kind: 'head-differs', link: 4 }]);
    expect((await watching.append()).troubles).toEqual([]);
  });

  it('a forged last link, which the next one is not built upon in silence', async () => {
    await bySuperuser(`UPDATE lcm.audit_link SET settled = settled + 1000 WHERE number = 4`);
    expect((await chain().append()).troubles).toEqual([
      'link 4 of the audit trail, the last one, is not as a holder of the master key made it',
    ]);
    expect(await findings(head)).toMatchObject([{ kind: 'link-changed', link: 4 }]);
  });

  it('entries that nobody chained', async () => {
    await bySuperuser(
      `INSERT INTO lcm.audit_trail (kind, actor, at) VALUES ('request', 'bert', clock_timestamp() - interval '1 hour')`,
    );
    await written(1);
    expect(await findings()).toMatchObject([
      { kind: 'entry-overdue', detail: expect.stringContaining('1 entries have no link') as string },
    ]);
  });

  it('nothing, page by page, where nothing was done', async () => {
    await written(30);
    await all(chain(1));
    const check = new ChainCheck(database, keys, 10);
    const pages = [];
    for (let after: number | null = 0; after !== null; after = pages.at(-1)!.next) pages.push(await check.page({ after }));
    expect(pages.map(({ links, findings: found }) => [links, found])).toEqual([
      [{ from: 1, through: 10 }, []],
      [{ from: 11, through: 20 }, []],
      [{ from: 21, through: 30 }, []],
      [{ from: 31, through: 34 }, []],
    ]);
    expect(pages.map(({ end }) => end?.waiting)).toEqual([undefined, undefined, undefined, 0]);
    expect(await findings(head)).toEqual([]);
  });
});
