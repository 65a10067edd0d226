import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from './database.js';
import { convertOldRequests } from './lcm/instance-rows.js';
import { PgLcmStore } from './lcm/pg-lcm-store.js';
import { PgShownRows } from './lcm/shown-rows.js';
import { MOST_VIM_USERS, vimUsers } from './lcm/vim-users.js';
import { Vault } from './sealing/vault.js';
import { PgAuditTrail } from './trail/pg-audit-trail.js';

/** What there is of everything, and what of it a look may read. */
const MANY = 3_000;
const FEW = 250;

const [busyVim, seldomVim] = [randomUUID(), randomUUID()];
const vault = new Vault([randomBytes(32)]);
let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  await migrate(database);
  const packageId = randomUUID();
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state) VALUES ($1, 't', 'ONBOARDED', 'ENABLED')`,
    [packageId],
  );
  // Three lie in another VIM than all others.
  await database.query(
    `INSERT INTO lcm.vnf_instance (id, tenant, vnfd_id, vnf_pkg_id, vnf_provider, vnf_product_name, vnf_software_version, vnfd_version,
       instantiation_state, vim_connection_info, instantiated)
     SELECT gen_random_uuid(), 't', 'vnfd', $1, 'p', 'n', '1', '1', 'INSTANTIATED', '',
       jsonb_build_object('vim', jsonb_build_object('vimId', CASE WHEN n <= 3 THEN $3 ELSE $2 END::text), 'images', '[]'::jsonb, 'vnfcs', '[]'::jsonb, 'sharedCps',
         '[]'::jsonb, 'info', '{}'::jsonb, 'padding', repeat(md5(n::text), 20))
     FROM generate_series(1, ${MANY}) AS n`,
    [packageId, busyVim, seldomVim],
  );
  await database.query(
    `WITH made AS (
       INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, status_since)
       SELECT gen_random_uuid(), 'HEAL', 't', 'completed', 1, clock_timestamp() - make_interval(hours => n) FROM generate_series(1, ${MANY}) AS n
       RETURNING id, status_since
     ) INSERT INTO lcm.vnf_lcm_op_occ (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time,
         is_automatic_invocation, request)
       SELECT id, 't', gen_random_uuid(), 'HEAL', 'COMPLETED', status_since, status_since, false, '' FROM made`,
  );
  // The project of those who operate Windlass has few of its own.
  await database.query(
    `INSERT INTO lcm.audit_trail (kind, tenant, method, resource, status) SELECT 'request', CASE n WHEN 1 THEN 'few' ELSE 't' END, 'POST', '/', 200
     FROM generate_series(1, ${MANY}) AS n`,
  );
  await database.query('ANALYZE');
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** Rows of a table that PostgreSQL reads for the work, as it counts them for a session; what it counted before is not the work's. */
const rowsRead = (table: string, work: (manager: EntityManager) => Promise<unknown>): Promise<number> =>
  database.transaction(async (manager) => {
    const sql = 'SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = $1';
    const counted = async (): Promise<number> => Number((await rowsOf<{ rows: string }>(manager, sql, [table]))[0]?.rows);
    const before = await counted();
    await work(manager);
    return (await counted()) - before;
  });

/** What runs in a transaction, for classes that take their connection from the data source. */
const withManager = (manager: EntityManager): DataSource =>
  Object.assign(Object.create(database) as DataSource, { manager }) satisfies DataSource;

it('an audit finds what is busy without reading what is over', async () => {
  const store = new PgLcmStore(database, vault);
  expect(await rowsRead('vnf_lcm_op_occ', (manager) => store.auditView(manager, new Date()))).toBeLessThan(FEW);
});

it('who uses a VIM is found without reading who uses another, and many users are not all named', async () => {
  let users: string[] = [];
  expect(await rowsRead('vnf_instance', async (manager) => (users = await vimUsers(manager, 't', seldomVim)))).toBeLessThan(FEW);
  expect(users).toHaveLength(3);
  expect(await rowsRead('vnf_instance', async (manager) => (users = await vimUsers(manager, 't', busyVim)))).toBeLessThan(FEW);
  expect(users).toHaveLength(MOST_VIM_USERS);
  expect(await vimUsers(database.manager, 'another project', busyVim)).toEqual([]);
});

it('a coordinator that starts reads no instance that an older release left nothing of', async () => {
  expect(await rowsRead('vnf_instance', (manager) => convertOldRequests(withManager(manager), vault))).toBeLessThan(FEW);
});

it('the newest entries of a project with few of its own, and nobody’s, are read without those of the others', async () => {
  const page = (manager: EntityManager, unowned: boolean) =>
    new PgAuditTrail(withManager(manager)).page({ tenant: 'few', unowned }, {}, undefined, 100);
  for (const unowned of [false, true]) {
    let found: unknown[] = [];
    expect(await rowsRead('audit_trail', async (manager) => (found = await page(manager, unowned)))).toBeLessThan(FEW);
    expect(found).toHaveLength(1);
  }
});

it('operations that failed are listed without reading those that did not', async () => {
  const shown = new PgShownRows(database, vault);
  for (const state of ['FAILED_TEMP', 'FAILED', 'ROLLED_BACK']) {
    const { text, values } = await sentBy(() =>
      shown.listedOpOccs({
        tenant: 't',
        after: undefined,
        limit: 100,
        filter: [{ op: 'eq', path: ['operationState'], onKeys: false, values: [state] }],
      }),
    );
    expect(await rowsRead('vnf_lcm_op_occ', (manager) => manager.query(text, values)), state).toBeLessThan(FEW);
  }
});

interface Sent {
  text: string;
  values: unknown[];
}

/** The statement that something sends past TypeORM, on a connection of its own. */
async function sentBy(work: () => Promise<unknown>): Promise<Sent> {
  const { master } = database.driver as unknown as { master: { query: (sent: Sent) => Promise<unknown> } };
  const query = master.query.bind(master);
  const all: Sent[] = [];
  Object.assign(master, {
    query: (sent: Sent) => {
      all.push(sent);
      return query(sent);
    },
  });
  try {
    await work();
  } finally {
    Object.assign(master, { query });
  }
  expect(all).toHaveLength(1);
  return all[0]!;
}
