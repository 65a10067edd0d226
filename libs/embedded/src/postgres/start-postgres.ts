import { realpathSync } from 'node:fs';
import pg from 'pg';
import { millis, seconds, TerminalError, TransientError, waitUntil, type Duration } from '@windlass/foundation';
import { releaseFolder, takeFolder } from '../folder-owner.js';
import { choosePort, rememberPort } from '../ports.js';
import { HERE, makeDataFolder, serverUser, type Identity } from '../server-user.js';
import { ServerProcess, type Log } from '../server-process.js';
import type { Exit } from '../stop-within.js';
import { postgresBinaries, type PostgresBinaries } from './binaries.js';
import { ensureCluster, filesOf, passwordIn, type ClusterFiles } from './cluster.js';
import { clearLeftover } from './leftover.js';

export interface PostgresOptions {
  /** Everything of this server lies here. */
  dataDir: string;
  /** 0 (the default) takes the port of the last start when it is free, else any free one. */
  port?: number;
  /** Takes the server's log, one line at a time. */
  log: Log;
  /** False turns off every sync: for tests and the demo, where a lost machine loses nothing. A killed server loses nothing either way. */
  durable: boolean;
  /** Environment of the server beside the little that it has: for tests that put something under it, a clock say. */
  environment?: Readonly<Record<string, string>>;
  /** Settings of the server by their names in postgresql.conf, beside our own or in their place: for a bench that counts statements. */
  settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server that runs, with an empty or earlier database `windlass`. */
export interface RunningPostgres {
  /** For services: user `windlass`, owner of the database `windlass`, no superuser. Holds the password. */
  readonly url: string;
  /** For starting things up: superuser `postgres`, database `postgres`. Holds the password. */
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason; a supervisor then calls {@link startPostgres} again. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends sessions and syncs ("fast shutdown"); kills the server when that takes longer than the limit, 20 s by default. */
  stop(within?: Duration): Promise<Exit>;
  /** `kill -9`, as a crash would end it. */
  kill(): Promise<Exit>;
}

/** How often a start is tried again when another process takes the port between our choice and the server's bind. */
const PORT_ATTEMPTS = 5;

/**
 * Starts PostgreSQL from npm's binaries on 127.0.0.1 with password authentication and no Unix socket, making the cluster the first time.
 * As root it runs as an unprivileged user. A server left behind by a killed Windlass, and its stale lock file, are cleared first.
 * @throws TerminalError `embedded.in-use` (another process has the folder), `embedded.port-taken`, `embedded.no-postgres`,
 *   `embedded.start-failed` with the server's last lines
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const user = serverUser();
  const files = filesOf(makeDataFolder(options.dataDir));
  takeFolder(files.folder);
  try {
    const binaries = await postgresBinaries(user);
    await ensureCluster(files, binaries, user, options.durable);
    await clearLeftover(realpathSync(files.cluster), options.log);
    const running = await launchWithPort(options, files, binaries, user);
    void running.exited.then(() => releaseFolder(files.folder));
    return running;
  } catch (error) {
    releaseFolder(files.folder);
    throw error;
  }
}

async function launchWithPort(
  options: PostgresOptions,
  files: ClusterFiles,
  binaries: PostgresBinaries,
  user: Identity | undefined,
): Promise<RunningPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(options.port ?? 0, files.port);
    const server = await ServerProcess.start({
      name: 'postgres',
      binary: binaries.postgres,
      args: serverArguments(port, options),
      folder: files.cluster,
      user,
      whenParentDies: 'INT',
      log: options.log,
      environment: options.environment,
    });
    try {
      await ready(server, port, files);
    } catch (error) {
      await server.stop('SIGINT', seconds(5));
      const portLost = server.lastLines.includes('could not bind') || server.lastLines.includes('could not create any TCP/IP');
      // The port that was asked for is looked at again, too: where it is taken now, that is said.
      if (portLost && attempt < PORT_ATTEMPTS) continue;
      throw error;
    }
    rememberPort(files.port, port);
    return handleOf(server, port, files);
  }
}

function serverArguments(port: number, { durable, settings: more }: PostgresOptions): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    max_connections: '200',
    // Compiling a query costs more than any query of ours saves by it.
    jit: 'off',
    // A commit is still with the kernel before it is answered (synchronous_commit stays on): only a lost machine loses it, not a killed server.
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB' }),
    ...more,
  };
  return ['-D', HERE, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

const urlOf = (user: string, password: string, port: number, database: string): string =>
  `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

/** Waits until our own superuser gets in, which also proves that it is our server that listens there, and makes the database the first time. */
async function ready(server: ServerProcess, port: number, files: ClusterFiles): Promise<void> {
  const admin = urlOf('postgres', passwordIn(files.adminPassword), port, 'postgres');
  await waitUntil(
    async (seen) => {
      if (server.exit !== undefined) {
        throw new TerminalError('embedded.start-failed', `PostgreSQL ended while it started:\n${server.lastLines}`);
      }
      try {
        await ensureDatabase(admin, passwordIn(files.password));
        return true;
      } catch (error) {
        if (!isStarting(error)) throw error;
        seen(error instanceof Error ? error.message : String(error));
        return undefined;
      }
    },
    // Crash recovery replays at most max_wal_size (1 GB by default): a minute or two on a slow disk.
    {
      for: `PostgreSQL on port ${port} to accept connections`,
      within: seconds(180),
      every: millis(10),
      growth: 1.5,
      atMost: millis(200),
    },
  );
}

/** Refused connections, and 57P03 cannot_connect_now (starting up, recovering), pass by themselves. */
function isStarting(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return error instanceof TransientError || ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(String(code));
}

/** Makes the role and the database `windlass`, and sets the role's password to ours. Can be repeated. */
async function ensureDatabase(admin: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: admin, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // a lost connection also fails the query in flight, which reports it
  await client.connect();
  try {
    const role = await client.query("SELECT 1 FROM pg_roles WHERE rolname = 'windlass'");
    if (role.rowCount === 0) await client.query('CREATE ROLE windlass LOGIN');
    const database = await client.query("SELECT 1 FROM pg_database WHERE datname = 'windlass'");
    if (database.rowCount === 0) {
      await client.query(`ALTER ROLE windlass PASSWORD ${client.escapeLiteral(password)}`);
      await client.query('CREATE DATABASE windlass OWNER windlass');
    }
  } finally {
    await client.end();
  }
}

function handleOf(server: ServerProcess, port: number, files: ClusterFiles): RunningPostgres {
  return {
    url: urlOf('windlass', passwordIn(files.password), port, 'windlass'),
    adminUrl: urlOf('postgres', passwordIn(files.adminPassword), port, 'postgres'),
    port,
    pid: server.pid,
    exited: server.exited,
    stop: (within) => server.stop('SIGINT', within),
    kill: () => server.kill(),
  };
}
