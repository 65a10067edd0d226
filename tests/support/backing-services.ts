import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNats, startPostgres, type NatsUser, type RunningNats, type RunningPostgres } from '@windlass/embedded';
import { evidence } from '@windlass/foundation/testing';
import { OpenStackEmulator, type EmulatorOptions } from '@windlass/lab';
import {
  deploymentSecrets,
  environmentOf,
  natsUsersOf,
  SERVICES,
  type ApiClient,
  type DeploymentSecrets,
} from '@windlass/windlass';
import { registerLab } from '@windlass/workbench';
import { rigFolder } from './rig-folder.js';

export interface ServerOptions {
  /** NATS users beside those of Windlass's services. */
  moreUsers?: readonly NatsUser[];
  /** Where the data of PostgreSQL and of NATS lie; in the rig's folder by default. */
  postgresDir?: string | undefined;
  natsDir?: string | undefined;
}

/**
 * What services that run as processes stand on: the secrets of a deployment, PostgreSQL, NATS, and an OpenStack in the test's process. A rig starts
 * what it needs of them, and its services on top.
 */
export class BackingServices {
  /** What ends each thing that was started: called from the last to the first. */
  readonly #ends: (() => Promise<unknown>)[] = [];
  #postgres: RunningPostgres | undefined;
  #nats: RunningNats | undefined;
  #emulator: OpenStackEmulator | undefined;
  #places: Required<ServerOptions> | undefined;

  private constructor(
    /** Goes with everything in it when the rig ends. */
    readonly folder: string,
    /** Those that a deployment makes in `folder`/data. */
    readonly secrets: DeploymentSecrets,
  ) {}

  /** Starts a rig. When `start` throws, the logs are kept as evidence, and what was started ends. @param prefix of the folder's name */
  static async under<Rig>(prefix: string, start: (backing: BackingServices) => Promise<Rig>): Promise<Rig> {
    const folder = await rigFolder(prefix);
    const backing = new BackingServices(folder, await deploymentSecrets(join(folder, 'data')));
    try {
      await mkdir(join(backing.dataDir, 'logs'));
      return await start(backing);
    } catch (error) {
      await evidence.setAside(folder);
      await backing.close();
      throw error;
    }
  }

  /** The deployment's folder, with `secrets` and `logs`. */
  get dataDir(): string {
    return join(this.folder, 'data');
  }

  get postgres(): RunningPostgres {
    return started(this.#postgres, 'PostgreSQL');
  }

  get nats(): RunningNats {
    return started(this.#nats, 'NATS');
  }

  get emulator(): OpenStackEmulator {
    return started(this.#emulator, 'OpenStack');
  }

  /** Has something end before all that was started earlier. */
  endFirst(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** Has something end after all else that was started. */
  endLast(end: () => Promise<unknown>): void {
    this.#ends.unshift(end);
  }

  async startOpenStack(options: Omit<EmulatorOptions, 'speed'> = {}): Promise<void> {
    const emulator = await OpenStackEmulator.start({ speed: 'instant', ...options });
    this.#emulator = emulator;
    this.endFirst(() => emulator.stop());
  }

  /** Starts PostgreSQL and NATS. Tests may kill them; what runs when the rig ends is stopped. */
  async startServers({ moreUsers = [], postgresDir, natsDir }: ServerOptions = {}): Promise<void> {
    this.#places = {
      moreUsers,
      postgresDir: postgresDir ?? join(this.folder, 'postgres'),
      natsDir: natsDir ?? join(this.folder, 'nats'),
    };
    this.endFirst(() => Promise.all([this.#nats?.stop(), this.#postgres?.stop()]));
    await this.startPostgresAgain(0);
    await this.startNatsAgain(0);
  }

  /** Starts PostgreSQL on what the killed server left, in the same place. */
  async startPostgresAgain(port = this.postgres.port): Promise<void> {
    const { postgresDir } = started(this.#places, 'PostgreSQL');
    this.#postgres = await startPostgres({ dataDir: postgresDir!, port, durable: true, log });
  }

  /** Starts NATS on what the killed server left, in the same place. */
  async startNatsAgain(port = this.nats.port): Promise<void> {
    const { natsDir, moreUsers } = started(this.#places, 'NATS');
    const users = [...natsUsersOf(this.secrets.natsPasswords), ...moreUsers];
    this.#nats = await startNats({ dataDir: natsDir!, port, users, log });
  }

  /** Removes the streams of NATS, whose server was killed. */
  async wipeStreams(): Promise<void> {
    const { natsDir } = started(this.#places, 'NATS');
    await rm(join(natsDir!, 'server/jetstream'), { recursive: true });
  }

  /** Makes the OpenStack the default VIM, named `lab`. */
  async registerOpenStack(api: ApiClient): Promise<void> {
    await registerLab(api, { keystoneUrl: this.emulator.url, ...this.emulator.tenant });
  }

  /** What a deployment tells the process of a service, a management driver's too. @param port of the REST API */
  environmentOf(name: string, port: number): Record<string, string> {
    const service = SERVICES.find((each) => each.name === name) ?? { name, core: false, parts: [] };
    const places = { databaseUrl: this.postgres.url, natsUrl: this.nats.url, port };
    return { ...environmentOf(service, this.secrets, places), VIM_ALLOW: '127.0.0.0/8' };
  }

  /** Ends what was started, the last first, and removes the folder. */
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const log = evidence.log('postgres-and-nats');

function started<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new Error(`the rig has started no ${name}`);
  return thing;
}
