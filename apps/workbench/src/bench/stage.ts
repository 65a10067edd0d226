import { Client } from 'pg';
import { startNats, startPostgres, type RunningNats, type RunningPostgres } from '@windlass/embedded';
import { InvariantError, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient, Deployment, deploymentSecrets, natsUsersOf, onboard, replicasOfEach } from '@windlass/windlass';
import { registerLab } from '../lab/register-lab.js';
import { closeConnection } from './bench-connection.js';
import { emulatorAsVim, type BenchVim } from './bench-vim.js';
import type { Watched } from './processes.js';

export interface GroundOptions {
  home: string;
  oneProcess: boolean;
  /** Processes of each service but lcm-api; one by default. */
  replicas?: number | undefined;
  /** False: PostgreSQL syncs nothing to disk. */
  durable: boolean;
  /** Environment of the services beside what is always set. */
  environment?: Readonly<Record<string, string>>;
  /** Programs in the place of services' own. */
  programs?: Readonly<Record<string, string>>;
  /** Environment of the services' processes themselves. */
  processEnvironment?: Readonly<Record<string, string>>;
  /** Settings of PostgreSQL beside those of `up`. */
  postgresSettings?: Readonly<Record<string, string>>;
  say: (line: string) => void;
  signal: AbortSignal;
}

export interface StageOptions extends GroundOptions {
  /** `instant`: stacks are complete at once, and everything waits for the engine. `lab`: each step of a stack takes 0.1 s. */
  stacks: 'instant' | 'lab';
}

/** PostgreSQL or NATS: can be killed, and is then started again at once on what it left. */
export interface StageServer {
  /** Ends it as a crash would; resolves when it runs again. */
  killed(): Promise<void>;
}

/** PostgreSQL, NATS and the services: what every benchmark runs on, whatever its VIM. */
export interface Ground {
  api: ApiClient;
  /** Of our own: what is asked over it is not the services' work. */
  database: Client;
  nats: RunningNats;
  deployment: Deployment;
  servers: Readonly<Record<'PostgreSQL' | 'NATS', StageServer>>;
  databaseUrl: string;
  /** Of PostgreSQL's superuser, in the services' database. */
  adminUrl: string;
  /** Services, servers and this process. */
  watched: readonly Watched[];
  stop(): Promise<void>;
}

/** What is instantiated. */
export interface Sample {
  vnfdId: string;
  /** The body of an instantiate request. */
  request: JsonObject;
}

/** Everything that a benchmark of operations runs on. */
export interface OnVim extends Ground, Sample {
  vim: BenchVim;
}

/** The same on the lab's emulator, which can be given faults. */
export interface Stage extends OnVim {
  emulator: OpenStackEmulator;
}

/** A network of this name is in the emulator and in the small real OpenStack. */
export const NETWORK = 'net0';

/** Starts PostgreSQL, NATS, an OpenStack in this process and the services; registers it and onboards `samples/simple-vm`. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const emulator = await OpenStackEmulator.start({ speed: options.stacks });
  return { ...(await setOnVim(options, emulatorAsVim(emulator))), emulator };
}

/** The same on a VIM that is there, which ends with the stage, and where it can't be set. */
export async function setOnVim(options: GroundOptions, vim: BenchVim): Promise<OnVim> {
  try {
    const ground = await setGround(options);
    const stop = async (): Promise<void> => {
      await ground.stop();
      await vim.stop();
    };
    try {
      await registerLab(ground.api, { keystoneUrl: vim.url, ...vim.tenant });
      return { ...ground, watched: watchedWith(ground, vim), stop, vim, ...(await onboardSample(ground.api, options.home)) };
    } catch (error) {
      await ground.stop();
      throw error;
    }
  } catch (error) {
    await vim.stop();
    throw error;
  }
}

/** A VIM in a process of its own is told apart from the bench. */
function watchedWith({ watched }: Ground, { name, pid }: BenchVim): Watched[] {
  if (pid === undefined) return [...watched];
  return [...watched.filter((one) => one.pid !== process.pid), { name, pid }, { name: 'bench', pid: process.pid }];
}

/** Starts PostgreSQL, NATS and the services. */
export async function setGround(options: GroundOptions): Promise<Ground> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'windlass-bench-'));
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
    await mkdir(join(dataDir, 'secrets'), { mode: 0o700 });
    const [postgres, postgresServer] = await kept((port) =>
      startPostgres({
        dataDir: join(dataDir, 'postgres'),
        durable: options.durable,
        log: () => undefined,
        port,
        settings: options.postgresSettings ?? {},
      }),
    );
    ends.push(() => postgresServer.stop());
    const { natsPasswords } = await deploymentSecrets(dataDir);
    const users = natsUsersOf(natsPasswords);
    const [nats, natsServer] = await kept((port) =>
      startNats({ dataDir: join(dataDir, 'nats'), users, monitoring: true, log: () => undefined, port }),
    );
    ends.push(() => natsServer.stop());
    const deployment = await startServices(options, dataDir, postgres, nats);
    ends.push(() => deployment.stop());
    const database = new Client({ connectionString: postgres.url, application_name: 'windlass bench' });
    database.on('error', () => undefined); // the next statement meets it; \`bench recovery\` kills PostgreSQL
    await database.connect();
    // A bench that is stopped would wait for a statement that takes minutes, such as one that fills a table.
    const cut = (): void => void database.end();
    options.signal.addEventListener('abort', cut, { once: true });
    ends.push(() => closeConnection(database));
    const api = new ApiClient(deployment.url, deployment.secrets.token);
    const watched = watchedOf(deployment, postgres, nats);
    const servers = { PostgreSQL: postgresServer, NATS: natsServer };
    const adminUrl = Object.assign(new URL(postgres.adminUrl), { pathname: new URL(postgres.url).pathname }).href;
    return { api, database, databaseUrl: postgres.url, adminUrl, nats, deployment, servers, watched, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A server and its keeper, who starts it again in the same place whenever it was killed. */
async function kept<S extends RunningPostgres | RunningNats>(
  start: (port: number) => Promise<S>,
): Promise<[S, StageServer & { stop(): Promise<unknown> }]> {
  const first = await start(0);
  let running = first;
  return [
    first,
    {
      killed: async () => {
        await running.kill();
        running = await start(running.port);
      },
      stop: () => running.stop(),
    },
  ];
}

/** Where a bench's OpenStack is. */
const LOOPBACK = { VIM_ALLOW: '127.0.0.0/8' };

const startServices = (
  { home, oneProcess, replicas = 1, durable, environment, processEnvironment, programs, say, signal }: GroundOptions,
  dataDir: string,
  postgres: RunningPostgres,
  nats: RunningNats,
): Promise<Deployment> =>
  Deployment.start({
    home,
    dataDir,
    port: 0,
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    durable,
    oneProcess,
    replicas: replicasOfEach(replicas),
    say,
    signal,
    environment: { ...LOOPBACK, ...environment },
    ...(processEnvironment === undefined ? {} : { processEnvironment }),
    ...(programs === undefined ? {} : { programs }),
  });

const watchedOf = (deployment: Deployment, postgres: RunningPostgres, nats: RunningNats): Watched[] => [
  ...deployment.processes.map(({ name, pid }) => ({ name, pid: pid ?? 0 })),
  { name: 'PostgreSQL', pid: postgres.pid },
  { name: 'NATS', pid: nats.pid },
  { name: 'bench and emulator', pid: process.pid },
];

/** Onboards `samples/simple-vm`. */
export async function onboardSample(api: ApiClient, home: string): Promise<Sample> {
  const { vnfdId } = await onboard(api, join(home, 'samples/simple-vm'));
  if (typeof vnfdId !== 'string') throw new InvariantError('an onboarded package has no VNFD id');
  const text = await readFile(join(home, 'samples/requests/instantiate-simple-vm.json'), 'utf8');
  return { vnfdId, request: JSON.parse(text.replaceAll('${NETWORK_ID}', NETWORK)) as JsonObject };
}
