import { randomBytes } from 'node:crypto';
import { appendFile, chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, startPostgres, type NatsUser, type RunningNats, type RunningPostgres } from '@windlass/embedded';
import { seconds, type Duration } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { CoreKeys, hashOf, makeToken, standingLine, tokenText, userPermissions } from '@windlass/messaging';
import { parseMasterKeys } from '@windlass/persistence';
import {
  ApiClient,
  deploymentSecrets,
  environmentOf,
  natsUsersOf,
  SERVICES,
  servicePrograms,
  SupervisedProcess,
  type DeploymentSecrets,
} from '@windlass/windlass';
import { registerLab } from '@windlass/workbench';
import { TestSshd } from '../../../libs/remote-host/src/testing/sshd.js';
import { CHAOS_DRIVER, CHAOS_SERVICE } from '../driver/chaos.driver.js';
import { bundleDriver } from './driver-program.js';
import { quietPort } from './quiet-port.js';
import { LEASE } from './times.js';

const HOME = join(import.meta.dirname, '../../..');
/** Two cores that do much else start eight services. */
const START_WITHIN = seconds(180);

/** The services that take part, with how many processes each has. Kubernetes, storage and registry drivers have nothing to do here. */
const CAST: readonly (readonly [service: string, replicas: number])[] = [
  ['saga-coordinator', 2],
  ['vim-registry', 1],
  ['lcm-api', 1],
  ['infra-driver', 2],
  [CHAOS_SERVICE, 2],
];

interface Servers {
  postgres: RunningPostgres;
  nats: RunningNats | undefined;
}

/** Every service as processes of its own over PostgreSQL and NATS, an OpenStack in this process, and one machine behind an sshd. */
export class Stage {
  readonly processes = new Map<string, SupervisedProcess>();
  private constructor(
    /** What is to be ended with it, the last first. */
    private readonly ends: (() => Promise<unknown>)[],
    /** Everything of this run that goes when it ends. */
    readonly folder: string,
    /** Logs and findings; they stay. */
    readonly results: string,
    readonly secrets: DeploymentSecrets,
    /** The password of the chaos driver's NATS user. */
    readonly driverPassword: string,
    readonly port: number,
    readonly emulator: OpenStackEmulator,
    readonly sshd: TestSshd,
    private readonly servers: Servers,
  ) {}

  static async start(results: string): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-chaos-'));
    const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
    const began = <T>(thing: T, end: (thing: T) => Promise<unknown>): T => {
      ends.push(() => end(thing));
      return thing;
    };
    try {
      // Hosts' jobs run as root, and sshd looks for keys as whoever logs in.
      await chmod(folder, 0o711);
      await mkdir(join(results, 'logs'), { recursive: true });
      const secrets = await deploymentSecrets(join(folder, 'data'));
      const driverPassword = randomBytes(24).toString('base64url');
      const emulator = began(await OpenStackEmulator.start({ speed: 'instant', tokenLife: seconds(60) }), (one) => one.stop());
      const sshd = began(await TestSshd.start('MaxSessions 200'), (one) => one.stop());
      // They are killed and started again: what is stopped at the end is whichever runs then.
      const servers: Servers = {
        postgres: await startPostgres({ dataDir: join(folder, 'postgres'), durable: true, log: () => undefined }),
        nats: undefined,
      };
      ends.push(() => Promise.all([servers.nats?.stop(), servers.postgres.stop()]));
      servers.nats = await startNats({
        dataDir: join(folder, 'nats'),
        users: usersOf(secrets, driverPassword),
        log: () => undefined,
      });
      const stage = new Stage(ends, folder, results, secrets, driverPassword, await quietPort(), emulator, sshd, servers);
      await stage.#startServices();
      return stage;
    } catch (error) {
      for (const end of ends.reverse()) await end();
      throw error;
    }
  }

  get api(): ApiClient {
    return new ApiClient(this.url, this.secrets.token);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where the jobs of the host lie, with their ledger. */
  get hostFolder(): string {
    return join(this.folder, 'host');
  }

  /** What must stand in no log and no table in the clear, by what it is. */
  get allSecrets(): Record<string, string> {
    const { secrets, emulator, driverPassword, nats, postgres } = this;
    return {
      'the master key': secrets.masterKey,
      'the API token': secrets.token,
      'the password of the VIM': emulator.tenant.password,
      'the administrator of NATS': nats.admin.password,
      'the password of PostgreSQL': decodeURIComponent(new URL(postgres.url).password),
      [`the NATS password of ${CHAOS_SERVICE}`]: driverPassword,
      'the key of the host': this.sshd.clientKey.reveal().split('\n').slice(1, -2).join('\n'),
      ...Object.fromEntries(Object.entries(secrets.natsPasswords).map(([name, text]) => [`the NATS password of ${name}`, text])),
    };
  }

  get postgres(): RunningPostgres {
    return this.servers.postgres;
  }

  get nats(): RunningNats {
    if (this.servers.nats === undefined) throw new Error('NATS was never started');
    return this.servers.nats;
  }

  /** PostgreSQL as a crash ends it, and again on what it left. */
  async restartPostgres(): Promise<void> {
    const { port } = this.postgres;
    await this.postgres.kill();
    this.servers.postgres = await startPostgres({
      dataDir: join(this.folder, 'postgres'),
      port,
      durable: true,
      log: () => undefined,
    });
  }

  /** NATS as a crash ends it, and again on what it left, or on nothing. */
  async restartNats({ wiped }: { wiped: boolean }): Promise<void> {
    const { port } = this.nats;
    await this.nats.kill();
    if (wiped) await rm(join(this.folder, 'nats/server/jetstream'), { recursive: true, force: true });
    const users = usersOf(this.secrets, this.driverPassword);
    this.servers.nats = await startNats({ dataDir: join(this.folder, 'nats'), port, users, log: () => undefined });
  }

  /** Waits until every service works. */
  async ready(within: Duration): Promise<void> {
    await Promise.all([...this.processes.values()].map((process) => process.started(within)));
    await Promise.all([...this.processes.values()].map((process) => process.ready(within)));
  }

  async close(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
  }

  async #startServices(): Promise<void> {
    const program = await bundleDriver(this.results);
    await this.#layHostOut();
    this.ends.push(() => Promise.all([...this.processes.values()].map((process) => process.stop())));
    for (const [service, replicas] of CAST) {
      for (let n = 1; n <= replicas; n += 1) {
        const name = replicas === 1 ? service : `${service}-${n}`;
        const process = new SupervisedProcess({
          name,
          services: [service],
          program: service === CHAOS_SERVICE ? program : servicePrograms(HOME)(service),
          environment: await this.#environmentOf(service),
          logFile: join(this.results, 'logs', `${name}.log`),
          say: () => undefined,
        });
        this.processes.set(name, process);
      }
    }
    await this.ready(START_WITHIN);
    await registerLab(this.api, {
      keystoneUrl: this.emulator.url,
      user: this.emulator.tenant.user,
      project: this.emulator.tenant.project,
      password: this.emulator.tenant.password,
    });
  }

  async #layHostOut(): Promise<void> {
    await mkdir(join(this.hostFolder, 'locks'), { recursive: true });
    await cp(join(import.meta.dirname, '../driver/ledger-job.sh'), join(this.hostFolder, 'ledger-job.sh'));
    await writeFile(join(this.hostFolder, 'ledger'), '');
    await writeFile(join(this.folder, 'data/secrets/host-key'), this.sshd.clientKey.reveal(), { mode: 0o600 });
    await writeFile(join(this.folder, 'data/secrets/driver-password'), this.driverPassword, { mode: 0o600 });
    await this.#admitDriver();
  }

  /** The operator's part of a driver's enrolment: a token for it, and its hash for the coordinators. */
  async #admitDriver(): Promise<void> {
    const { publicX } = new CoreKeys(parseMasterKeys(this.secrets.masterKey));
    const token = makeToken(publicX);
    await writeFile(join(this.folder, 'data/secrets/driver-token'), tokenText(token).reveal(), { mode: 0o600 });
    await appendFile(this.secrets.enrolmentTokensFile, `\n${standingLine({ service: CHAOS_SERVICE, ...hashOf(token) })}\n`);
  }

  async #environmentOf(name: string): Promise<Record<string, string>> {
    const places = { databaseUrl: this.postgres.url, natsUrl: this.nats.url, port: this.port };
    const known = SERVICES.find((service) => service.name === name) ?? { name, core: false, parts: [] };
    const tuned = { ENGINE_LEASE: `${LEASE}ms`, STACK_ABSENT_FOR: '1s', VIM_ALLOW: '127.0.0.0/8' };
    const told = { ...environmentOf(known, this.secrets, places), ...tuned };
    if (name !== CHAOS_SERVICE) return Promise.resolve(told);
    return {
      ...told,
      NATS_PASSWORD_FILE: join(this.folder, 'data/secrets/driver-password'),
      WORKER_KEY_FILE: join(this.secrets.keyFolder, `${CHAOS_SERVICE}.key`),
      ENROLMENT_TOKEN_FILE: join(this.folder, 'data/secrets/driver-token'),
      CHAOS_HOST_PORT: String(this.sshd.port),
      CHAOS_HOST_KEY_FILE: join(this.folder, 'data/secrets/host-key'),
      CHAOS_HOST_FOLDER: this.hostFolder,
    };
  }
}

/** The all-in-one's users, and the driver's: as an operator with a driver of his own would have them. */
const usersOf = (secrets: DeploymentSecrets, driverPassword: string): NatsUser[] => [
  ...natsUsersOf(secrets.natsPasswords),
  {
    name: CHAOS_SERVICE,
    password: driverPassword,
    permissions: userPermissions(CHAOS_SERVICE, [
      { kind: 'worker', service: CHAOS_SERVICE },
      { kind: 'driver', drivers: [CHAOS_DRIVER] },
    ]),
  },
];
