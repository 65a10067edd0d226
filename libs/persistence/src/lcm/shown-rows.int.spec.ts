import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { OPERATIONS, taskConditionsOf, type VnfInstanceRecord } from '@windlass/lifecycle';
import { instanceRecord, opOccRecord, packageRecord, TENANT } from '@windlass/lifecycle/testing';
import { matches, parseFilter, RESOURCES } from '@windlass/sol003';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import { Vault } from '../sealing/vault.js';
import { instanceRow, opOccRow } from './instance-rows.js';
import { PgShownRows, type PageWanted } from './shown-rows.js';

let server: TestDatabase;
let database: DataSource;
let shown: PgShownRows;
const vault = new Vault([randomBytes(32)]);
const PACKAGE = randomUUID();

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
  await migrate(database);
  const { model, files } = packageRecord(PACKAGE);
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state, model, files) VALUES ($1, 't', 'ONBOARDED', 'ENABLED', $2, $3)`,
    [PACKAGE, JSON.stringify(model), JSON.stringify(files)],
  );
  shown = new PgShownRows(database, vault);
});
beforeEach(() => database.query('DELETE FROM lcm.vnf_instance'));
afterAll(async () => {
  await database.destroy();
  await server.close();
});

async function add(change: Partial<VnfInstanceRecord> = {}): Promise<VnfInstanceRecord> {
  const record = instanceRecord({ id: randomUUID(), vnfPkgId: PACKAGE, ...change });
  await database.manager.insert(VnfInstanceEntity, instanceRow(record, vault) as never);
  return record;
}

const page = (change: Partial<PageWanted> = {}): PageWanted => ({
  tenant: TENANT,
  after: undefined,
  limit: 3,
  filter: [],
  ...change,
});

const idsOf = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id);

/** The statements that go to PostgreSQL from here on, and how many rows each brought. */
function watched(): { name: string | undefined; rows: number }[] {
  const { master } = database.driver as unknown as { master: Pool };
  const query = master.query.bind(master) as (statement: { name?: string }) => Promise<{ rows: unknown[] }>;
  const seen: { name: string | undefined; rows: number }[] = [];
  Object.assign(master, {
    query: async (statement: { name?: string }) => {
      const answer = await query(statement);
      seen.push({ name: statement.name, rows: answer.rows.length });
      return answer;
    },
  });
  onTestFinished(() => void Object.assign(master, { query }));
  return seen;
}

describe('a page of a list', () => {
  it('loses and doubles nothing that is there all the time, while others come and go', async () => {
    const staying = idsOf(await Promise.all(Array.from({ length: 12 }, () => add())));
    const leaving = idsOf(await Promise.all(Array.from({ length: 12 }, () => add())));
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const found = idsOf(await shown.listedInstances(page({ after })));
      seen.push(...found);
      const gone = leaving.pop();
      if (gone !== undefined) await database.query('DELETE FROM lcm.vnf_instance WHERE id = $1', [gone]);
      await add();
      after = found.at(-1);
      if (found.length < 3 || seen.length > 100) break;
    }
    expect(seen.filter((id) => staying.includes(id)).sort()).toEqual([...staying].sort());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort());
  });

  it('has nothing of another project, by no marker and no filter', async () => {
    const { id, vnfdId } = await add({ tenant: 'other' });
    const filter = parseFilter(`(eq,id,${id});(eq,vnfdId,${vnfdId})`, RESOURCES.vnfInstances);
    for (const wanted of [page(), page({ after: '00000000-0000-0000-0000-000000000000' }), page({ filter })]) {
      expect(await shown.instances(wanted)).toEqual([]);
      expect(await shown.listedInstances(wanted)).toEqual([]);
    }
    expect(await shown.instance(TENANT, id)).toBeUndefined();
    expect(await shown.instanceMark(TENANT, id)).toBeUndefined();
    expect(await shown.instance('other', id)).toMatchObject({ record: { id } });
  });

  it('is one planned statement with no more rows than it shows, and opens nothing that is sealed', async () => {
    await Promise.all(Array.from({ length: 5 }, () => add()));
    const withoutKey = new PgShownRows(database, new Vault([randomBytes(32)]));
    const statements = watched();
    expect(await withoutKey.listedInstances(page())).toHaveLength(3);
    expect(statements).toEqual([{ name: 'windlass shown instances', rows: 3 }]);
    await expect(withoutKey.instances(page())).rejects.toThrow('sealed with a master key');
  });

  it('says of what a list shows by default the same as the whole record does', async () => {
    const record = await add({ vnfInstanceName: 'a', metadata: { a: 1 } });
    const [[listed], [whole]] = [await shown.listedInstances(page()), await shown.instances(page())];
    expect(whole).toEqual(record);
    expect(await shown.instance(TENANT, record.id)).toMatchObject({ record });
    const { metadata: _m, properties: _p, vimConnectionInfo: _v, instantiated: _i, desired: _d, leftovers: _l, ...rest } = record;
    expect(listed).toEqual({ ...rest, scaleStatus: [] });
  });
});

describe('the mark of an instance', () => {
  it('is another one after each change of its row, also one that publishes nothing, and the same until then', async () => {
    const { id } = await add();
    const marks: (string | undefined)[] = [];
    const change = (sql: string) => database.query(`UPDATE lcm.vnf_instance SET ${sql} WHERE id = $1`, [id]);
    for (const sql of ['version = version + 1', "vnf_provider = 'You'", 'vnf_provider = vnf_provider']) {
      marks.push(await shown.instanceMark(TENANT, id));
      await database.query('SELECT id FROM lcm.vnf_instance WHERE id = $1 FOR UPDATE', [id]);
      expect(await shown.instanceMark(TENANT, id)).toBe(marks.at(-1));
      await change(sql);
    }
    marks.push((await shown.instance(TENANT, id))?.mark);
    expect(new Set(marks).size).toBe(4);
    expect(marks).not.toContain(undefined);
    expect(await shown.instanceMark(TENANT, id)).toBe(marks.at(-1));
  });
});

describe('an instance in a list', () => {
  it('is offered for the same tasks as when it is read, whatever they depend on', async () => {
    const info = { flavourId: 'f', vnfState: 'STARTED' as const };
    const rest = { stack: { name: 's' }, vnfcs: [], sharedCps: [], vim: { connectionId: 'c' }, images: [], drivers: [] };
    const scaled = { info: { ...info, scaleStatus: [{ aspectId: 'a', scaleLevel: 1 }] }, ...rest };
    await add({ instantiationState: 'INSTANTIATED', instantiated: scaled });
    await add({ instantiationState: 'INSTANTIATED', instantiated: { info, ...rest } });
    await add();
    const listed = (await shown.listedInstances(page())).map((each) => OPERATIONS.tasksOf(each));
    const whole = (await shown.instances(page())).map((each) => OPERATIONS.tasksOf(taskConditionsOf(each)));
    expect(listed).toEqual(whole);
    expect(new Set(listed.map((each) => each.length)).size).toBe(3);
  });
});

describe('a filter of which PostgreSQL tells a part', () => {
  const filterOf = (text: string) => parseFilter(text, RESOURCES.vnfInstances);

  it('leaves in all that match', async () => {
    const unnamed = await add({ vnfInstanceName: null, vnfdVersion: '2026-01-01T00:00:00Z' });
    const named = await add({ vnfInstanceName: "it's (a), name", instantiationState: 'INSTANTIATED' });
    const all = [unnamed, named, await add({ vnfProvider: 'You' })];
    const asShown = all.map(({ vnfInstanceName, ...rest }) => ({
      ...rest,
      vnfInstanceName: vnfInstanceName ?? `vnf-${rest.id}`,
    }));
    for (const text of [
      `(eq,vnfInstanceName,vnf-${unnamed.id})`,
      `(in,vnfInstanceName,one,vnf-${unnamed.id},'it''s (a), name')`,
      `(eq,id,${named.id});(eq,instantiationState,INSTANTIATED)`,
      '(eq,id,none);(eq,vnfPkgId,none)',
      `(in,vnfPkgId,${PACKAGE},none)`,
      '(eq,vnfdVersion,2026-01-01T01:00:00+01:00)',
      '(neq,vnfProvider,You);(cont,vnfProductName,mal)',
    ]) {
      const filter = filterOf(text);
      const wanted = asShown.filter((each) => matches(filter, each)).map(({ id }) => id);
      const found = idsOf(await shown.listedInstances(page({ filter })));
      expect([text, wanted.filter((id) => !found.includes(id))]).toEqual([text, []]);
    }
  });

  it('reads no others where PostgreSQL can tell', async () => {
    const { id } = await add({ vnfInstanceName: 'mine' });
    await Promise.all(Array.from({ length: 4 }, () => add({ vnfInstanceName: null })));
    const statements = watched();
    expect(idsOf(await shown.listedInstances(page({ filter: filterOf('(eq,vnfInstanceName,mine)') })))).toEqual([id]);
    expect(statements).toEqual([{ name: undefined, rows: 1 }]);
  });
});

describe('a page of occurrences', () => {
  it('has no request, and is of the instance that the filter names', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    for (const vnfInstanceId of [mine, other]) {
      const record = opOccRecord({
        id: randomUUID(),
        vnfInstanceId,
        request: { flavourId: 'a' },
        draft: { grantUrl: 'http://g/1' },
      });
      await database.query(
        `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'INSTANTIATE', $2, 'accepted', 1)`,
        [record.id, TENANT],
      );
      await database.manager.insert(VnfLcmOpOccEntity, opOccRow(record, vault) as never);
    }
    const filter = parseFilter(`(eq,vnfInstanceId,${mine})`, RESOURCES.vnfLcmOpOccs);
    const statements = watched();
    const [listed, ...more] = await shown.listedOpOccs(page({ filter }));
    const [whole] = await shown.opOccs(page({ filter }));
    expect(statements.map(({ rows }) => rows)).toEqual([1, 1]);
    expect(more).toEqual([]);
    const { request: _r, error: _e, resourceChanges: _c, warnings: _w, draft, ...rest } = whole!;
    expect(listed).toEqual({ ...rest, grantUrl: draft.grantUrl });
    expect(whole).toMatchObject({ vnfInstanceId: mine, request: { flavourId: 'a' } });
    expect(await shown.opOcc('other', whole?.id ?? '')).toBeUndefined();
  });
});
