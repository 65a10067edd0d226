import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '@windlass/embedded';
import { testFolder, type TestFolder } from '@windlass/embedded/testing';
import { millis, minutes, RequestError, waitUntil } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { beginPointInTime, connectDatabase, migrate } from '@windlass/persistence';
import { surroundings, windlassProgram } from '@windlass/windlass';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandsOf } from '../support/guide-shell.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const operation = randomUUID();
let folder: TestFolder;
let archive: string;
let recovered: RunningPostgres | undefined;
let target: string;

async function within<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const valueOf = async (client: pg.Client, sql: string): Promise<string> =>
  Object.values((await client.query<Record<string, string>>(sql)).rows[0] ?? {})[0] ?? '';

const addOperation = (client: pg.Client, tenant: string, id = randomUUID()) =>
  client.query(`INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', $2, 'running', 1)`, [
    id,
    tenant,
  ]);

const addRunningStep = (client: pg.Client) =>
  client.query(
    `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, owner, lease_until,
       attempt, attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
     VALUES ($1, 'ran', 1, 'a', 1, 's', '[]', '[]', '[]', '{}', 'do', 'running', 3, 'w', now(), 1, 1, false, 0, true, false, 2)`,
    [operation],
  );

/** A copy of PostgreSQL's files while it runs, by its own low-level interface: npm's binaries have no pg_basebackup. */
async function copyFiles(admin: string, from: string, to: string): Promise<void> {
  await within(admin, async (client) => {
    await client.query(`SELECT pg_backup_start('copy', true)`);
    mkdirSync(to, { recursive: true });
    // As itself, with owners and modes.
    const files = ['cluster', 'password', 'admin-password'].map((name) => join(from, name));
    expect(spawnSync('cp', ['-a', ...files, to]).status).toBe(0);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    writeFileSync(join(to, 'cluster/backup_label'), rows[0]?.labelfile ?? '');
  });
  rmSync(join(to, 'cluster/postmaster.pid'), { force: true });
  for (const name of readdirSync(join(to, 'cluster/pg_wal'))) rmSync(join(to, 'cluster/pg_wal', name), { recursive: true });
  mkdirSync(join(to, 'cluster/pg_wal/archive_status'), { recursive: true });
  writeFileSync(join(to, 'cluster/recovery.signal'), '');
  const { uid, gid } = statSync(join(from, 'cluster'));
  for (const name of ['backup_label', 'recovery.signal', 'pg_wal', 'pg_wal/archive_status'])
    chownSync(join(to, 'cluster', name), uid, gid);
}

/** PostgreSQL with an archive: a copy of its files, a row, a moment, another row; then it is brought back to that moment. */
beforeAll(async () => {
  folder = testFolder();
  // The server's user can't look into the folder of the test.
  archive = mkdtempSync(join(tmpdir(), 'windlass-archive-'));
  const dataDir = join(folder.path, 'first');
  const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, wal_level: 'replica' };
  const first = await startPostgres({ dataDir, durable: false, log: evidence.log('first'), settings });
  const { uid, gid } = statSync(join(dataDir, 'cluster'));
  chownSync(archive, uid, gid);
  const database = await connectDatabase({ url: first.url, applicationName: 'test', poolSize: 1 });
  await migrate(database);
  await database.destroy();
  await copyFiles(first.adminUrl, dataDir, join(folder.path, 'second'));
  target = await within(first.url, async (client) => {
    await addOperation(client, 'before', operation);
    await addRunningStep(client);
    return valueOf(client, 'SELECT clock_timestamp()::text');
  });
  await within(first.url, (client) => addOperation(client, 'after'));
  await within(first.adminUrl, async (client) => {
    const last = await valueOf(client, 'SELECT pg_walfile_name(pg_switch_wal())');
    await waitUntil(() => Promise.resolve(readdirSync(archive).includes(last) ? true : undefined), {
      for: `${last} to be in the archive`,
      within: minutes(1),
      every: millis(50),
    });
  });
  await first.kill();
  recovered = await startPostgres({
    dataDir: join(folder.path, 'second'),
    durable: false,
    log: evidence.log('second'),
    settings: { restore_command: `cp ${archive}/%f %p`, recovery_target_time: target, recovery_target_action: 'pause' },
  });
});

afterAll(async () => {
  await recovered?.stop();
  folder.remove();
  rmSync(archive, { recursive: true });
});

/** The server that was brought back. */
const server = (): RunningPostgres => recovered ?? raise();

function raise(): never {
  throw new Error('no server was brought back');
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof RequestError ? error.code : String(error)),
  );

const me = { recordOf: null, by: 'test' };

describe('a record that PostgreSQL brought back to a moment', () => {
  it('begins no incarnation while PostgreSQL still recovers', async () => {
    expect(await codeOf(beginPointInTime(server().url, me))).toBe('backup.recovering');
  });

  it('is as it was then, and begins none while somebody else is connected', async () => {
    await within(new URL('/windlass', server().adminUrl).href, (client) => client.query('SELECT pg_wal_replay_resume()'));
    await within(server().url, async (client) => {
      await waitUntil(async () => ((await valueOf(client, 'SELECT pg_is_in_recovery()::text')) === 'false' ? true : undefined), {
        for: 'PostgreSQL to be promoted',
        within: minutes(1),
        every: millis(50),
      });
      expect((await client.query<{ tenant: string }>('SELECT tenant FROM lcm.operation')).rows).toEqual([{ tenant: 'before' }]);
      expect(await codeOf(beginPointInTime(server().url, me))).toBe('backup.in-use');
    });
  });

  it('begins one by the line of the guide: epochs are above all before, and what ran is not known', async () => {
    const line = (await commandsOf('backup.md')).find((block) => block.includes('restored begin')) ?? '';
    writeFileSync(join(folder.path, 'url'), server().url, { mode: 0o600 });
    const where = { ...surroundings(), calledFrom: folder.path };
    const printed: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    try {
      await windlassProgram(where).parseAsync(line.trim().split(/\s+/).slice(1), { from: 'user' });
      await windlassProgram(where).parseAsync(['restored', 'show', '--database-url-file', 'url'], { from: 'user' });
    } finally {
      write.mockRestore();
    }
    expect(printed.join('')).toMatch(
      /incarnation \d+ begins\n1 steps ran then[\s\S]*by PostgreSQL at [\s\S]*work waits for audits/,
    );
    await within(server().url, async (client) => {
      expect(Number(await valueOf(client, 'SELECT lcm.epoch_base()::text'))).toBeGreaterThan(2 ** 40);
      const { rows } = await client.query('SELECT state, resumed, owner FROM lcm.step');
      expect(rows).toEqual([{ state: 'ready', resumed: true, owner: null }]);
    });
  });
});
