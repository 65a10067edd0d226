import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningNats, RunningPostgres } from '@windlass/embedded';
import { seconds, type Duration } from '@windlass/foundation';
import type { OpenStackEmulator } from '@windlass/lab';
import { ApiClient, NODE_ARGUMENTS, servicePrograms, SupervisedProcess, type DeploymentSecrets } from '@windlass/windlass';
import { BackingServices } from '../../support/backing-services.js';
import { CHAOS_SERVICE } from '../driver/chaos.driver.js';
import { AdmittedDriver } from './admitted-driver.js';
import { bundleDriver } from './driver-program.js';
import { quietPort } from './quiet-port.js';
import { LEASE } from './lease.js';

const HOME = join(import.meta.dirname, '../../..');
/** The limit for the start of eight services, on two busy cores. */
const START_WITHIN = seconds(180);

/** The services of the suite, with the number of their processes. The drivers for Kubernetes, storage and registries have no part in it. */
const CAST: readonly (readonly [service: string, replicas: number])[] = [
  ['saga-coordinator', 2],
  ['vim-registry', 1],
  ['lcm-api', 1],
  ['infra-driver', 2],
  [CHAOS_SERVICE, 2],
];

/** The services as processes over PostgreSQL and NATS, an OpenStack in this process, and one machine behind an sshd. */
export class Stage {
  readonly processes = new Map<string, SupervisedProcess>();
  private constructor(
    private readonly backing: BackingServices,
    private readonly driver: AdmittedDriver,
    /** Logs and findings lie there; the folder stays. */
    readonly results: string,
    readonly port: number,
  ) {}

  static start(results: string): Promise<Stage> {
    return BackingServices.under('windlass-chaos-', async (backing) => {
      await mkdir(join(results, 'logs'), { recursive: true });
      await backing.startOpenStack({ tokenLife: seconds(60) });
      const driver = await AdmittedDriver.admit(backing);
      await backing.startServers({ moreUsers: [driver.natsUser] });
      const stage = new Stage(backing, driver, results, await quietPort());
      await stage.#startServices();
      await backing.registerOpenStack(stage.api);
      return stage;
    });
  }

  get api(): ApiClient {
    return new ApiClient(this.url, this.secrets.token);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The folder of the servers and secrets, removed with the stage. */
  get folder(): string {
    return this.backing.folder;
  }

  /** The jobs' folder on the host, with the ledger. */
  get hostFolder(): string {
    return this.driver.hostFolder;
  }

  get secrets(): DeploymentSecrets {
    return this.backing.secrets;
  }

  get emulator(): OpenStackEmulator {
    return this.backing.emulator;
  }

  get postgres(): RunningPostgres {
    return this.backing.postgres;
  }

  get nats(): RunningNats {
    return this.backing.nats;
  }

  /** The secrets that no log and no table may have in the clear, by their meanings. */
  get allSecrets(): Record<string, string> {
    const { secrets, emulator, driver, nats, postgres } = this;
    return {
      'the master key': secrets.masterKey,
      'the API token': secrets.token,
      'the password of the VIM': emulator.tenant.password,
      'the administrator of NATS': nats.admin.password,
      'the password of PostgreSQL': decodeURIComponent(new URL(postgres.url).password),
      [`the NATS password of ${CHAOS_SERVICE}`]: driver.password,
      'the key of the host': driver.sshd.clientKey.reveal().split('\n').slice(1, -2).join('\n'),
      ...Object.fromEntries(Object.entries(secrets.natsPasswords).map(([name, text]) => [`the NATS password of ${name}`, text])),
    };
  }

  /** Kills PostgreSQL, and starts it again on its data. */
  async restartPostgres(): Promise<void> {
    await this.postgres.kill();
    await this.backing.startPostgresAgain();
  }

  /** Kills NATS, and starts it again, with its streams or `wiped`, without. */
  async restartNats({ wiped }: { wiped: boolean }): Promise<void> {
    await this.nats.kill();
    if (wiped) await this.backing.wipeStreams();
    await this.backing.startNatsAgain();
  }

  /** Waits until every service works. */
  async ready(within: Duration): Promise<void> {
    await Promise.all([...this.processes.values()].map((process) => process.started(within)));
    await Promise.all([...this.processes.values()].map((process) => process.ready(within)));
  }

  close(): Promise<void> {
    return this.backing.close();
  }

  async #startServices(): Promise<void> {
    const program = await bundleDriver(this.results);
    this.backing.endFirst(() => Promise.all([...this.processes.values()].map((process) => process.stop())));
    for (const [service, replicas] of CAST) {
      for (let n = 1; n <= replicas; n += 1) {
        const name = replicas === 1 ? service : `${service}-${n}`;
        const process = new SupervisedProcess({
          name,
          services: [service],
          program: service === CHAOS_SERVICE ? program : servicePrograms(HOME)(service),
          nodeArguments: NODE_ARGUMENTS,
          environment: this.#environmentOf(service),
          logFile: join(this.results, 'logs', `${name}.log`),
          say: () => undefined,
        });
        this.processes.set(name, process);
      }
    }
    await this.ready(START_WITHIN);
  }

  #environmentOf(service: string): Record<string, string> {
    return {
      ...this.backing.environmentOf(service, this.port),
      ENGINE_LEASE: `${LEASE}ms`,
      STACK_ABSENT_FOR: '1s',
      ...this.driver.environmentFor(service),
    };
  }
}
