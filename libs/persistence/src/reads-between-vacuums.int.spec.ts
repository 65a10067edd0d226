import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { compilePlan, newStep } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from './database.js';
import { PgJournal } from './engine/pg-journal.js';
import { findOccurrence } from './lcm/entity-statements.js';
import { vimUsers } from './lcm/vim-users.js';
import { Vault } from './sealing/vault.js';

/** What there is of everything, and how many pages a look may read. */
const MANY = 3_000;
const FEW = 60;

/** PostgreSQL keeps the plan of a named statement when it has run so often on a connection. */
const UNTIL_PLANNED = 8;

const TABLES = ['lcm.operation', 'lcm.step', 'lcm.payload', 'lcm.vnf_lcm_op_occ', 'lcm.vnf_instance'] as const;
type Table = (typeof TABLES)[number];

let server: TestDatabase;
let database: DataSource;
let journal: PgJournal;

const readPayload = () => journal.transact(running, (tx) => tx.readPayload('s', 'input'));
const dropPayload = () => journal.transact(running, (tx) => tx.dropPayloads(['resolved', 'output', 'common']));
const writeStep = () =>
  journal.transact(running, async (tx) => {
    const [step] = tx.steps;
    if (step === undefined) throw new Error('the operation has no step');
    step.progress = String(performance.now());
    await tx.save({ inserted: [], changed: [step] });
  });
const readOccurrence = () => database.transaction((manager) => findOccurrence(manager, running));
const running = randomUUID();

/** All on one connection, which meets tables that are empty, as after an installation. No vacuum comes between: it would tell PostgreSQL how large they are. */
beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 1 });
  await migrate(database);
  for (const table of TABLES) await database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  journal = new PgJournal(database, new Vault([randomBytes(32)]));
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'running', 1)`,
    [running],
  );
  const { steps } = compilePlan({ root: { kind: 'step', id: 'own', action: 'a', version: 1, service: 'vim', input: {} } });
  await journal.transact(running, (tx) =>
    tx.save({ inserted: steps.map((step, seq) => newStep(running, seq, step)), changed: [] }),
  );
  for (let n = 0; n < UNTIL_PLANNED; n += 1) {
    await readPayload();
    await dropPayload();
    await readOccurrence();
    await writeStep();
    await journal.waiting([{ key: 'vim', limit: 1, most: 1 }]);
  }
  await addOperations();
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** Each was accepted, and had a step that was ready and then ran. */
async function addOperations(): Promise<void> {
  await database.query(
    `WITH made AS (
       INSERT INTO lcm.operation (id, kind, tenant, status, journal_version)
       SELECT gen_random_uuid(), 'HEAL', 't', 'accepted', 1 FROM generate_series(1, ${MANY}) RETURNING id
     ), occurrences AS (
       INSERT INTO lcm.vnf_lcm_op_occ (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time,
         is_automatic_invocation, request)
       SELECT id, 't', gen_random_uuid(), 'HEAL', 'COMPLETED', now(), now(), false, repeat('x', 500)::bytea FROM made
     ), payloads AS (
       INSERT INTO lcm.payload (operation_id, step_id, kind, sealed) SELECT id, 's', 'input', repeat('x', 500)::bytea FROM made
     ) INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
         attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
       SELECT id, 's', 1, 'a', 1, 'vim', '[]', '["vim"]', '[]', '{}', 'do', 'ready', 0, 0, 0, false, 0, false, false, 0 FROM made`,
  );
  await database.query(`UPDATE lcm.step SET state = 'running', lease_until = now() WHERE state = 'ready'`);
  await database.query(`UPDATE lcm.step SET state = 'done', lease_until = NULL WHERE state = 'running'`);
  await database.query(`UPDATE lcm.operation SET status = 'completed' WHERE status = 'accepted'`);
}

/** So few that PostgreSQL, which does not know how many they are, has no index that seems cheaper than another. */
async function addInstances(): Promise<void> {
  const packageId = randomUUID();
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state) VALUES ($1, 't', 'ONBOARDED', 'ENABLED')`,
    [packageId],
  );
  await database.query(
    `INSERT INTO lcm.vnf_instance (id, tenant, vnfd_id, vnf_pkg_id, vnf_provider, vnf_product_name, vnf_software_version, vnfd_version,
       instantiation_state, vim_connection_info, instantiated)
     SELECT gen_random_uuid(), 't', 'vnfd', $1, 'p', 'n', '1', '1', 'INSTANTIATED', '', '{"vim": {"vimId": "another"}}' FROM generate_series(1, 60)`,
    [packageId],
  );
}

/** Pages of a table that work on the connection reads, however PostgreSQL has found them. */
async function pagesRead(table: Table, work: () => Promise<unknown>): Promise<number> {
  const counted = async (): Promise<number> => {
    await database.query('SELECT pg_stat_force_next_flush()');
    const [row] = await rowsOf<{ pages: string }>(
      database.manager,
      'SELECT heap_blks_read + heap_blks_hit AS pages FROM pg_statio_user_tables WHERE relid = $1::regclass',
      [table],
    );
    return Number(row?.pages);
  };
  const before = await counted();
  await work();
  return (await counted()) - before;
}

const pagesOf = async (table: Table): Promise<number> => {
  const [row] = await rowsOf<{ pages: number }>(
    database.manager,
    `SELECT pg_relation_size($1::regclass)::int / current_setting('block_size')::int AS pages`,
    [table],
  );
  return row?.pages ?? 0;
};

it('the tables are larger than what may be read of them', async () => {
  for (const table of ['lcm.step', 'lcm.payload', 'lcm.vnf_lcm_op_occ'] as const)
    expect(await pagesOf(table), table).toBeGreaterThan(2 * FEW);
});

it('a plan that was made while payloads and occurrences were none does not read all when they are many', async () => {
  expect(await pagesRead('lcm.payload', readPayload)).toBeLessThan(FEW);
  expect(await pagesRead('lcm.payload', dropPayload)).toBeLessThan(FEW);
  expect(await pagesRead('lcm.vnf_lcm_op_occ', readOccurrence)).toBeLessThan(FEW);
  expect(await pagesRead('lcm.step', writeStep)).toBeLessThan(FEW);
});

it('who uses a VIM is found without reading the operations that are over, whose number PostgreSQL does not know yet', async () => {
  await addInstances();
  const users = () => vimUsers(database.manager, 't', randomUUID());
  expect(await pagesRead('lcm.vnf_lcm_op_occ', users)).toBeLessThan(FEW);
  expect(await pagesRead('lcm.vnf_instance', users)).toBe(0);
});

it.each([
  ['what is due', () => journal.look(100)],
  ['who waits for a place', () => journal.waiting([{ key: 'vim', limit: 1, most: 1 }])],
])('%s is looked for without visiting again what was ready once, though no vacuum has been', async (_what, look) => {
  // The first of them visits what has become ready, or was accepted, since the look before.
  await database.query(`UPDATE lcm.step SET state = 'ready'`);
  await database.query(`UPDATE lcm.step SET state = 'done'`);
  await look();
  expect(await pagesRead('lcm.step', look)).toBeLessThan(FEW);
  expect(await pagesRead('lcm.operation', look)).toBeLessThan(FEW);
});
