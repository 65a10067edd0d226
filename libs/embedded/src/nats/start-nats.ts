import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { isJsonObject, millis, seconds, TerminalError, waitUntil, type Duration } from '@windlass/foundation';
import { releaseFolder, takeFolder } from '../folder-owner.js';
import { choosePort, freePort, rememberPort } from '../ports.js';
import { programOf, workingFolderOf } from '../process-identity.js';
import { HERE, makeDataFolder, serverUser, type Identity } from '../server-user.js';
import { endLeftover, ServerProcess, type Log } from '../server-process.js';
import type { Exit } from '../stop-within.js';
import { natsConfig, type NatsUser } from './config-file.js';
import { ensureNatsServer } from './server-binary.js';

export interface NatsOptions {
  /** Everything of this server lies here: configuration, streams, the password of user `windlass`. */
  dataDir: string;
  /** 0 (the default) takes the port of the last start when it is free, else any free one. */
  port?: number;
  /** Who may connect; besides them the user `windlass`, who may do everything and whose password is made here, always can. */
  users?: readonly NatsUser[];
  /** Read-only HTTP monitoring without a password on a free port of 127.0.0.1; off by default. */
  monitoring?: boolean;
  /** Takes the server's log, one line at a time. */
  log: Log;
  /** Room for all streams on disk in bytes; 4 GiB by default. */
  maxStorage?: number;
  /** The program; found by {@link ensureNatsServer} by default. */
  binary?: string;
}

/** A nats-server that runs, with JetStream. */
export interface RunningNats {
  /** `nats://127.0.0.1:<port>`, without credentials. */
  readonly url: string;
  readonly port: number;
  /** Name and password of the user who may do everything. */
  readonly admin: { readonly user: string; readonly password: string };
  /** `http://127.0.0.1:<port>` when asked for. */
  readonly monitoringUrl?: string;
  readonly pid: number;
  /** Who may connect from now on, besides the user `windlass`; who is named no more is disconnected. Others notice nothing. */
  setUsers(users: readonly NatsUser[]): void;
  /** Resolves when the server has ended, for whatever reason; a supervisor then calls {@link startNats} again. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends the server in order; kills it when that takes longer than the limit, 20 s by default. */
  stop(within?: Duration): Promise<Exit>;
  /** `kill -9`, as a crash would end it. */
  kill(): Promise<Exit>;
}

/**
 * Bytes. Wake-ups are small, and a sealed plan of 512 KiB has less than 1 MiB with all around it. What a driver read of a VNF has some 3 KiB a VNFC of one
 * port, and more with more of them: 900 were seen. This is as much as NATS advises to allow.
 */
export const NATS_MAX_PAYLOAD = 8 * 1024 * 1024;

/** How often a start is tried again when another process takes the port between our choice and the server's bind. */
const PORT_ATTEMPTS = 5;

interface Files {
  folder: string;
  /** The server works in here and owns it; streams lie in `jetstream`. */
  server: string;
  config: string;
  password: string;
  port: string;
}

/**
 * Starts nats-server with JetStream on 127.0.0.1; nobody gets in without a password. As root it runs as an unprivileged user.
 * Streams in `dataDir` survive; a server left behind by a killed Windlass is ended first.
 * @throws TerminalError `embedded.in-use` (another process has the folder), `embedded.port-taken`, `embedded.no-nats`,
 *   `embedded.start-failed` with the server's last lines
 */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const user = serverUser();
  const folder = makeDataFolder(options.dataDir);
  const server = join(folder, 'server');
  const files = {
    folder,
    server,
    config: join(server, 'nats.conf'),
    password: join(folder, 'password'),
    port: join(folder, 'port'),
  };
  takeFolder(folder);
  try {
    const binary = options.binary ?? (await ensureNatsServer(options.log));
    mkdirSync(server, { recursive: true, mode: 0o700 });
    if (user !== undefined) chownSync(server, user.uid, user.gid);
    await endLeftoversIn(realpathSync(server), binary, options.log);
    const running = await launchWithPort({ ...options, binary }, files, user);
    void running.exited.then(() => releaseFolder(folder));
    return running;
  } catch (error) {
    releaseFolder(folder);
    throw error;
  }
}

/** A nats-server that works in this folder, which we own, was left behind by a Windlass that died. */
async function endLeftoversIn(folder: string, binary: string, log: Log): Promise<void> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const isServer = (pid: number) => workingFolderOf(pid) === folder && basename(programOf(pid) ?? '') === basename(binary);
  for (const pid of pids.filter(isServer)) {
    log(`ending a nats-server that was left behind (process ${pid})`);
    await endLeftover('nats-server', pid, 'SIGTERM');
  }
}

async function launchWithPort(
  options: NatsOptions & { binary: string },
  files: Files,
  user: Identity | undefined,
): Promise<RunningNats> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(options.port ?? 0, files.port);
    const monitoringPort = options.monitoring === true ? await freePort() : undefined;
    const serverName = `windlass-${randomBytes(6).toString('hex')}`;
    const admin = { user: 'windlass', password: passwordIn(files.password) };
    const configure = (users: readonly NatsUser[]): void => {
      const text = natsConfig({
        serverName,
        port,
        ...(monitoringPort === undefined ? {} : { monitoringPort }),
        storeDir: '.',
        users: [{ name: admin.user, password: admin.password }, ...users],
        maxPayload: NATS_MAX_PAYLOAD,
        maxStorage: options.maxStorage ?? 4 * 1024 ** 3,
      });
      writePrivately(files.config, text, user);
    };
    configure(options.users ?? []);
    const server = await launch(options, files, user);
    const setUsers = (users: readonly NatsUser[]): void => {
      configure(users);
      // It reads its configuration again.
      server.signal('SIGHUP');
    };
    try {
      await ready(server, port, serverName);
    } catch (error) {
      await server.stop('SIGTERM', seconds(5));
      const portLost = server.lastLines.includes('address already in use');
      // The port that was asked for is looked at again, too: where it is taken now, that is said.
      if (portLost && attempt < PORT_ATTEMPTS) continue;
      throw error;
    }
    rememberPort(files.port, port);
    const monitoring = monitoringPort === undefined ? {} : { monitoringUrl: `http://127.0.0.1:${monitoringPort}` };
    return { ...handleOf(server, port), setUsers, admin, ...monitoring };
  }
}

const launch = (options: NatsOptions & { binary: string }, files: Files, user: Identity | undefined): Promise<ServerProcess> =>
  ServerProcess.start({
    name: 'nats-server',
    binary: options.binary,
    args: ['-c', join(HERE, 'nats.conf')],
    folder: files.server,
    user,
    whenParentDies: 'TERM',
    log: options.log,
  });

const handleOf = (server: ServerProcess, port: number): Omit<RunningNats, 'admin' | 'setUsers'> => ({
  url: `nats://127.0.0.1:${port}`,
  port,
  pid: server.pid,
  exited: server.exited,
  stop: (within) => server.stop('SIGTERM', within),
  kill: () => server.kill(),
});

/** A password file of ours, not the server's. */
function passwordIn(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  return password;
}

/** Writes a file that only the server may read, whole or not at all. */
function writePrivately(file: string, text: string, user: Identity | undefined): void {
  const half = `${file}.new`;
  rmSync(half, { force: true });
  writeFileSync(half, text, { mode: 0o600, flag: 'wx' });
  chmodSync(half, 0o600);
  if (user !== undefined) chownSync(half, user.uid, user.gid);
  renameSync(half, file);
}

/** Waits for the greeting that names our server; JetStream is ready before the server listens. */
async function ready(server: ServerProcess, port: number, serverName: string): Promise<void> {
  await waitUntil(
    async (seen) => {
      if (server.exit !== undefined) {
        throw new TerminalError('embedded.start-failed', `nats-server ended while it started:\n${server.lastLines}`);
      }
      const name = await greetedBy(port);
      if (name === serverName) return true;
      seen(name === undefined ? 'nobody listens' : `another server, ${name}`);
      return undefined;
    },
    // Large streams are read back before it listens.
    { for: `nats-server on port ${port} to listen`, within: seconds(60), every: millis(10), growth: 1.5, atMost: millis(200) },
  );
}

/** The name in the INFO line of whoever listens on the port. */
function greetedBy(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const done = (name: string | undefined) => {
      socket.destroy();
      resolve(name);
    };
    socket.setTimeout(2_000, () => done(undefined));
    socket.on('error', () => done(undefined));
    socket.on('close', () => done(undefined));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const line = /^INFO (\{.*\})\s*\r?\n/.exec(text)?.[1];
      if (line === undefined) return;
      const info: unknown = JSON.parse(line);
      done(isJsonObject(info) && typeof info.server_name === 'string' ? info.server_name : undefined);
    });
  });
}
