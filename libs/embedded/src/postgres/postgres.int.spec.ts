import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { identityOf, isRunning } from '../process-identity.js';
import { bundledScript, testFolder } from '../testing/index.js';
import { startPostgres, type PostgresOptions, type RunningPostgres } from './start-postgres.js';

const folder = testFolder();
const started: RunningPostgres[] = [];

async function start(name: string, options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir: join(folder.path, name), durable: false, log: () => undefined, ...options });
  started.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a killed server also fails the query, which is what tests look at
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

const running = (pid: number): boolean => identityOf(pid) !== undefined;

describe('embedded PostgreSQL', () => {
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
  });
  afterAll(() => folder.remove());

  it('gives services a database whose owner is no superuser', async () => {
    const server = await start('fresh');
    expect(await query(server.url, 'CREATE SCHEMA lcm')).toEqual([]);
    expect(await query(server.url, 'SELECT usesuper FROM pg_user WHERE usename = current_user')).toEqual([false]);
    expect(await query(server.url, 'SHOW server_encoding')).toEqual(['UTF8']);
    await expect(query(server.url, "COPY (SELECT 1) TO PROGRAM 'id'")).rejects.toThrow('permission denied');
  });

  it('lets nobody in without the password, and listens on 127.0.0.1 alone', async () => {
    const server = await start('fresh');
    const wrong = new URL(server.url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(
      await query(server.adminUrl, "SELECT auth_method FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'"),
    ).toEqual([]);
    expect(listeners(server.pid)).toEqual([`0100007F:${server.port.toString(16).toUpperCase()}`]);
    expect(await query(server.adminUrl, 'SHOW unix_socket_directories')).toEqual(['']);
  });

  it('runs without our rights and our environment, and shows no password in its command line', async () => {
    process.env.WINDLASS_TEST_SECRET = 'master-key';
    const server = await start('fresh');
    delete process.env.WINDLASS_TEST_SECRET;
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
    expect(/^Groups:\s*$/m.test(status)).toBe(process.getuid?.() === 0);
    expect(readFileSync(`/proc/${server.pid}/environ`, 'utf8')).not.toContain('master-key');
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).not.toContain(new URL(server.url).password);
    for (const name of ['password', 'admin-password'])
      expect(statSync(join(folder.path, 'fresh', name)).mode & 0o777).toBe(0o600);
  });

  it.each([true, false])('keeps data and port over kill -9, and comes back at once (durable: %s)', async (durable) => {
    const name = `killed-${durable}`;
    const first = await start(name, { durable });
    await query(first.url, 'CREATE TABLE t (x int)');
    await query(first.url, 'INSERT INTO t VALUES (1) RETURNING x');
    await first.kill();
    expect(running(first.pid)).toBe(false);
    const second = await start(name, { durable });
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT x FROM t')).toEqual([1]);
  });

  it.each([
    ['by its own kill', (server: RunningPostgres) => server.kill()],
    ['by somebody else', (server: RunningPostgres) => (process.kill(server.pid, 'SIGKILL'), server.exited)],
  ])('starts again though a backend was computing when it was killed %s', async (_, kill) => {
    const first = await start('busy');
    // One that only computes does not notice by itself that the server is gone.
    const lost = query(first.url, 'SELECT sum(n) FROM generate_series(1, 9000000000) n').catch((error: unknown) => error);
    await waitUntil(
      async () => {
        const sql = "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE 'SELECT sum(n)%'";
        return (await query(first.adminUrl, sql))[0] === 1 ? true : undefined;
      },
      { for: 'the busy backend', within: seconds(20), every: millis(20) },
    );
    await kill(first);
    const second = await start('busy');
    expect(await query(second.url, 'SELECT 1')).toEqual([1]);
    expect(await lost).toBeInstanceOf(Error);
  });

  it('says that it has ended, so that a supervisor starts it again', async () => {
    const first = await start('supervised');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const second = await start('supervised');
    expect(await query(second.url, 'SELECT 1')).toEqual([1]);
  });

  it('refuses a folder that a living server has', async () => {
    await start('twice');
    await expect(start('twice')).rejects.toMatchObject({ code: 'embedded.in-use' });
  });

  it('takes over from a supervisor that was killed, and from a lock file that names an unrelated process', async () => {
    const first = await start('stale');
    await first.stop();
    // A process of the server user's, as a restarted container would have under the same id; PostgreSQL alone would refuse to start.
    const user = process.getuid?.() === 0 ? { uid: 65_432, gid: 65_432 } : {};
    const other = spawn('sleep', ['60'], { stdio: 'ignore', cwd: '/', ...user });
    try {
      const lock = join(folder.path, 'stale', 'cluster', 'postmaster.pid');
      writeFileSync(lock, `${other.pid}\n/somewhere\n1\n${first.port}\n\n127.0.0.1\n`);
      writeFileSync(join(folder.path, 'stale', 'owner.json'), JSON.stringify({ pid: other.pid, startedAt: '1' }));
      const second = await start('stale');
      expect(await query(second.url, 'SELECT 1')).toEqual([1]);
      expect(running(other.pid!)).toBe(true);
    } finally {
      other.kill();
    }
  });

  it('ends a server that a killed supervisor left running, before it starts another on the same files', async () => {
    const left = await start('left');
    writeFileSync(join(folder.path, 'left', 'owner.json'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    const successor = await start('left');
    expect(await left.exited).toEqual({ code: 0, signal: null });
    expect(await query(successor.url, 'SELECT 1')).toEqual([1]);
  });

  it('ends with the process that started it, even one killed with -9, and its successor can start', async () => {
    const script = await bundledScript(join(import.meta.dirname, '../testing/starts-postgres.ts'), folder);
    const parent = spawn(process.execPath, [script, join(folder.path, 'orphan')]);
    const pid = Number(
      await new Promise<string>((resolve) => parent.stdout.once('data', (data: Buffer) => resolve(String(data)))),
    );
    expect(running(pid)).toBe(true);
    const gone = once(parent, 'exit');
    parent.kill('SIGKILL');
    await gone;
    const ended = () => Promise.resolve(running(pid) ? undefined : true);
    await waitUntil(ended, { for: 'the orphaned server to end by itself', within: seconds(20), every: millis(10) });
    const successor = await start('orphan');
    expect(await query(successor.url, 'SELECT 1')).toEqual([1]);
  });

  it('works below folders that others may not pass', async () => {
    const closed = join(folder.path, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    chmodSync(closed, 0o700);
    const server = await start('closed/data');
    expect(await query(server.url, 'SELECT 1')).toEqual([1]);
    expect(statSync(closed).mode & 0o777).toBe(0o700);
  });

  it('starts over where initdb was killed half-way', async () => {
    mkdirSync(join(folder.path, 'half', 'cluster.new', 'base'), { recursive: true });
    const server = await start('half');
    expect(await query(server.url, 'SELECT 1')).toEqual([1]);
    expect(existsSync(join(folder.path, 'half', 'cluster.new'))).toBe(false);
    expect(readdirSync(join(folder.path, 'half')).sort()).toEqual([
      'admin-password',
      'cluster',
      'owner.json',
      'password',
      'port',
    ]);
  });

  it('names the port when the one asked for is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(start('taken', { port })).rejects.toMatchObject({ code: 'embedded.port-taken' });
    await new Promise((resolve) => taken.close(resolve));
    const server = await start('taken', { port });
    expect(server.port).toBe(port);
  });

  it('takes another port when the remembered one is taken meanwhile', async () => {
    const first = await start('moved');
    await first.stop();
    const taken = createServer().listen(first.port, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const second = await start('moved');
    expect(second.port).not.toBe(first.port);
    await new Promise((resolve) => taken.close(resolve));
  });

  it('reports the server’s own words when it cannot start', async () => {
    const first = await start('broken');
    await first.stop();
    writeFileSync(join(folder.path, 'broken', 'cluster', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start('broken')).rejects.toThrow('no_such_setting');
  });

  it('stops what it started and nothing else', async () => {
    const [one, two] = [await start('one'), await start('two')];
    const exit = await one.stop();
    expect(exit).toEqual({ code: 0, signal: null });
    expect(running(two.pid)).toBe(true);
    expect(readlinkSync(`/proc/${two.pid}/cwd`)).toBe(join(folder.path, 'two', 'cluster'));
    expect(isRunning({ pid: two.pid, startedAt: '0' })).toBe(false);
    await expect(open(one.port)).rejects.toThrow('ECONNREFUSED');
  });
});

function open(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    connect({ host: '127.0.0.1', port }).once('connect', resolve).once('error', reject);
  });
}

/** Addresses (hex, as the kernel writes them) a process listens on. */
function listeners(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ''),
  );
  return ['tcp', 'tcp6']
    .flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
    .map((fields) => fields[1] ?? '');
}
