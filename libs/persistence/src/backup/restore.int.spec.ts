import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { RequestError } from '@windlass/foundation';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { PgAuditChain } from '../trail/pg-audit-chain.js';
import { ChainKeys } from '../trail/chain-keys.js';
import { separateTrail } from '../trail/separation.js';
import { copiedTables, nameOf } from './copied-tables.js';
import { checkBackup, requireMasterKeys, restoreBackup } from './restore-backup.js';
import { takeBackup, type BackupOptions, type BackupSummary } from './take-backup.js';

const key = randomBytes(32);
const masterKey = randomBytes(32).toString('hex');
let source: TestDatabase;
let target: TestDatabase;

const within = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const migrated = async (url: string): Promise<void> => {
  const database = await connectDatabase({ url, applicationName: 'test', poolSize: 1 });
  await migrate(database);
  await database.destroy();
};

const take = async (more: Partial<BackupOptions> = {}): Promise<{ file: Buffer; summary: BackupSummary }> => {
  const pieces: Buffer[] = [];
  let summary: BackupSummary | undefined;
  const options = { url: source.url, key, release: '0.1.0', ...more };
  for await (const piece of takeBackup(options, (told) => (summary = told))) pieces.push(piece);
  if (summary === undefined) throw new Error('nothing was told');
  return { file: Buffer.concat(pieces), summary };
};

const fileOf = (bytes: Buffer) =>
  async function* () {
    yield await Promise.resolve(bytes);
  };

const restore = async (bytes: Buffer, url = target.url) =>
  restoreBackup(await checkBackup(fileOf(bytes), key), { url, file: fileOf(bytes), key, by: 'test' });

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof RequestError ? error.code : String(error)),
  );

/** Every row as text, without what a restore changes. */
const contentOf = (url: string) =>
  within(url, async (client) => {
    const content: Record<string, string[]> = {};
    for (const table of await copiedTables(client)) {
      const columns = table.columns.filter((column) => column !== 'revision');
      const { rows } = await client.query<{ row: string }>(
        `SELECT row_to_json(t)::text AS row FROM (SELECT ${columns.map((one) => `"${one}"`).join(', ')} FROM ${nameOf(table)}) AS t ORDER BY 1`,
      );
      content[`${table.schema}.${table.name}`] = rows.map(({ row }) => row);
    }
    return content;
  });

const operation = randomUUID();

async function filled(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'running', 1)`,
    [operation],
  );
  for (const [id, state, resumed] of [
    ['ran', 'running', false],
    ['handed-over', 'ready', true],
    ['waits', 'waiting', false],
    ['woken', 'ready', false],
  ])
    await client.query(
      `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, owner, lease_until,
         attempt, attempt_epoch, resumed, losses, ever_claimed, recheck, rings, rung_at, dispatch_by)
       VALUES ($1, $2, 1, 'a', 1, 's', '[]', '[]', '[]', '{}', 'do', $3, 3, 'w', now(), 1, 1, $4, 0, true, false, 2, now(), now())`,
      [operation, id, state, resumed],
    );
  await client.query(`INSERT INTO lcm.payload VALUES ($1, 'ran', 'input', $2)`, [operation, randomBytes(3_000_000)]);
  const id = randomUUID();
  await client.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state, model) VALUES ($1, 't', 'CREATED', 'DISABLED', '{"a": ["\\u00fc", null, 1.5]}')`,
    [id],
  );
  await client.query(`INSERT INTO package.chunk VALUES ($1, 1, 0, $2)`, [id, randomBytes(5_000_000)]);
  await client.query(`INSERT INTO lcm.audit_trail (kind, actor, roles) VALUES ('request', 'somebody', '{admin,"a b"}')`);
  await client.query(`INSERT INTO lcm.outbox (subject, message) VALUES ('s', '{}')`);
  await client.query(`INSERT INTO lcm.worker_key (id, service, public_key, worker, token_id) VALUES ('k', 's', 'x', 'w', 't')`);
  await client.query(
    `INSERT INTO lcm.worker_key (id, service, public_key, worker, token_id, revoked_at) VALUES ('gone', 's', 'x', 'w', 't', now())`,
  );
  await client.query(`INSERT INTO lcm.enrolment_token (id, service, hash, created_by) VALUES ('t', 's', 'x', 'me')`);
}

beforeAll(async () => {
  source = await testPostgres();
  await migrated(source.url);
  await within(source.url, filled);
});

beforeEach(async () => {
  target = await testPostgres();
});

afterEach(() => target.close());
afterAll(() => source.close());

describe('a restored record', () => {
  it('is what was there, but for what ran, the incarnation and keys that held', async () => {
    const { file, summary } = await take();
    const before = await contentOf(source.url);
    const restored = await restore(file);
    const after = await contentOf(target.url);
    const changed = [
      'lcm.step',
      'lcm.incarnation',
      'lcm.restored_step',
      'lcm.worker_key',
      'lcm.enrolment_token',
      'lcm.audit_trail',
    ];
    for (const [table, rows] of Object.entries(before))
      if (!changed.includes(table)) expect([table, after[table]]).toEqual([table, rows]);
    expect(summary.rows).toBe(Object.values(before).flat().length);
    expect(restored).toMatchObject({ rows: summary.rows, unknownSteps: 2, droppedKeys: 1, droppedTokens: 1 });
    expect(after['lcm.worker_key']).toHaveLength(1);
    // What waits for another worker in the middle of its attempt ran as well.
    expect(after['lcm.restored_step']).toEqual(
      ['handed-over', 'ran'].map((id) => `{"operation_id":"${operation}","step_id":"${id}"}`),
    );
    expect(after['lcm.step']?.map((row) => JSON.parse(row) as object)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: 'ran',
          state: 'ready',
          resumed: true,
          owner: null,
          lease_until: null,
          dispatch_by: null,
          epoch: 3,
        }),
        expect.objectContaining({ id: 'woken', state: 'ready', dispatch_by: null, rung_at: null }),
        expect.objectContaining({ id: 'waits', state: 'waiting', resumed: false }),
      ]),
    );
    expect(after['lcm.audit_trail']?.at(-1)).toContain(`"resource":"incarnation ${restored.number}"`);
  });

  it('has an incarnation above any before, also where the same backup is restored again', async () => {
    const { file } = await take();
    const first = await restore(file);
    await target.close();
    target = await testPostgres();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const second = await restore(file);
    expect(second.number).toBeGreaterThan(first.number);
    const base = await within(target.url, (client) => client.query<{ base: string }>('SELECT lcm.epoch_base()::text AS base'));
    expect(Number(base.rows[0]?.base)).toBe(second.number * 2 ** 22);
    expect(Number.isSafeInteger(second.number * 2 ** 22)).toBe(true);
  });

  it('gives no id of the outbox and of the audit trail again', async () => {
    await within(source.url, (client) => client.query('DELETE FROM lcm.outbox'));
    const { file } = await take();
    await restore(file);
    const insert = `INSERT INTO lcm.outbox (subject, message) VALUES ('s', '{}') RETURNING id::int`;
    const { rows } = await within(target.url, (client) => client.query<{ id: number }>(insert));
    expect(rows[0]?.id).toBeGreaterThan(1_000_000);
  });

  it('is taken from one snapshot, by a role that may not change the audit trail, and its chain goes on from the old head', async () => {
    await separateTrail({ services: source.url, admin: source.adminUrl });
    const chain = async (url: string) => {
      const database = await connectDatabase({ url, applicationName: 'test', poolSize: 1 });
      const chained = await new PgAuditChain(database, new ChainKeys([Buffer.from(masterKey, 'hex')])).append();
      await database.destroy();
      return chained;
    };
    const { head } = await chain(source.url);
    const { file } = await take();
    await restore(file);
    const continued = await chain(target.url);
    expect(continued).toMatchObject({ entries: 1, troubles: [] });
    const previous = `SELECT encode(previous, 'hex') AS previous FROM lcm.audit_link ORDER BY number DESC LIMIT 1`;
    const { rows } = await within(target.url, (client) => client.query<{ previous: string }>(previous));
    expect(head?.split(':')[1]).toBe(rows[0]?.previous);
    await separateTrail({ services: target.url, admin: target.adminUrl });
  });

  it('has the snapshot of its beginning, whatever is written meanwhile', async () => {
    const pieces: Buffer[] = [];
    let told: BackupSummary | undefined;
    for await (const piece of takeBackup({ url: source.url, key, release: '0.1.0' }, (summary) => (told = summary))) {
      if (pieces.length === 1) await within(source.url, (client) => client.query(`UPDATE lcm.operation SET tenant = 'later'`));
      pieces.push(piece);
    }
    await within(source.url, (client) => client.query(`UPDATE lcm.operation SET tenant = 't'`));
    await restore(Buffer.concat(pieces));
    const content = await contentOf(target.url);
    expect(content['lcm.operation']?.join()).toContain('"tenant":"t"');
    expect(told?.tables).toBe(Object.keys(content).length);
  });
});

describe('a restore is refused', () => {
  it('into a database that has rows, is in use, or whose audit trail has a keeper; and nothing is changed', async () => {
    const { file } = await take();
    const before = await contentOf(source.url);
    expect(await codeOf(restore(file, source.url))).toBe('backup.not-empty');
    expect(await contentOf(source.url)).toEqual(before);
    await migrated(target.url);
    const inUse = within(target.url, () => codeOf(restore(file)));
    expect(await inUse).toBe('backup.in-use');
    await separateTrail({ services: target.url, admin: target.adminUrl });
    expect(await codeOf(restore(file))).toBe('backup.not-empty');
  });

  it('where the seal does not hold to its last byte, before anything is written', async () => {
    const { file } = await take();
    const damaged = Buffer.from(file);
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    expect(await codeOf(restore(damaged))).toBe('backup.damaged');
    expect(await codeOf(restore(file.subarray(0, -1)))).toBe('backup.truncated');
    expect(await within(target.url, (client) => client.query(`SELECT to_regclass('lcm.operation') AS found`))).toMatchObject({
      rows: [{ found: null }],
    });
  });

  it('and leaves nothing, where the file is another one when it is read the second time', async () => {
    const { file } = await take();
    const checked = await checkBackup(fileOf(file), key);
    const cut = fileOf(file.subarray(0, -100));
    expect(await codeOf(restoreBackup(checked, { url: target.url, file: cut, key, by: 'test' }))).toBe('backup.truncated');
    // It may be tried again: what was made is empty.
    expect(await codeOf(restore(file))).toBe('done');
  });

  it('and leaves nothing, where what the record is of no use without can’t be kept: its master key is written before the commit', async () => {
    const { file } = await take();
    const checked = await checkBackup(fileOf(file), key);
    const rows = (): Promise<unknown> =>
      within(
        target.url,
        async (client) => (await client.query<{ n: number }>('SELECT count(*)::int AS n FROM lcm.operation')).rows[0],
      );
    const beforeCommit = async (): Promise<void> => {
      expect(await rows()).toEqual({ n: 0 });
      throw new Error('the disk is full');
    };
    await expect(restoreBackup(checked, { url: target.url, file: fileOf(file), key, by: 'test', beforeCommit })).rejects.toThrow(
      'the disk is full',
    );
    expect(await rows()).toEqual({ n: 0 });
  });

  it('where the master key is another one; one that is in the backup comes with it', async () => {
    const { file, summary } = await take({ masterKeys: masterKey, withMasterKey: true });
    expect((await checkBackup(fileOf(file), key)).masterKeys).toBe(masterKey);
    expect(() => requireMasterKeys(summary.header, masterKey)).not.toThrow();
    expect(() => requireMasterKeys(summary.header, randomBytes(32).toString('hex'))).toThrow(/is sealed with the master key/);
    expect((await checkBackup(fileOf((await take({ masterKeys: masterKey })).file), key)).masterKeys).toBeUndefined();
  });
});
