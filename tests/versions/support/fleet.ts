import { randomBytes } from 'node:crypto';
import { appendFile, chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startNats, startPostgres, type RunningNats, type RunningPostgres } from '@windlass/embedded';
import { minutes } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { OpenStackEmulator } from '@windlass/lab';
import { CoreKeys, hashOf, makeToken, standingLine, tokenText, userPermissions } from '@windlass/messaging';
import { parseMasterKeys } from '@windlass/persistence';
import {
  ApiClient,
  deploymentSecrets,
  environmentOf,
  natsUsersOf,
  SERVICES,
  SupervisedProcess,
  type DeploymentSecrets,
} from '@windlass/windlass';
import { TestSshd } from '../../../libs/remote-host/src/testing/sshd.js';
import { CHAOS_DRIVER, CHAOS_SERVICE } from '../../chaos/driver/chaos.driver.js';
import { chaosPackage } from '../../chaos/stage/chaos-package.js';
import { bundleDriver } from '../../chaos/stage/driver-program.js';
import { registerVim } from '../../hazards/support/rig.js';
import { rigFolder } from '../../support/rig-folder.js';
import type { Release } from './older-release.js';

/** The services of the fleet: each is one process, and two while it is replaced. */
export const FLEET = [...SERVICES.map(({ name }) => name), CHAOS_SERVICE];

/** The limit for the start of eight processes at once, on a busy machine. */
const START_WITHIN = minutes(3);

interface Servers {
  postgres: RunningPostgres;
  nats: RunningNats;
}

/**
 * Windlass as an operator runs it, a process a service, of which each can be another release's: over PostgreSQL, NATS with this release's users,
 * an OpenStack in this process and one machine behind an sshd, on which a management driver runs jobs.
 */
export class Fleet {
  readonly #running = new Map<string, { release: Release; process: SupervisedProcess; url: string }>();
  readonly #drivers = new Map<string, string>();
  #started = 0;

  private constructor(
    readonly folder: string,
    private readonly ends: (() => Promise<unknown>)[],
    private readonly secrets: DeploymentSecrets,
    readonly servers: Servers,
    readonly emulator: OpenStackEmulator,
    private readonly sshd: TestSshd,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Starts every service of a release. */
  static async start(release: Release, environment: Readonly<Record<string, string>>): Promise<Fleet> {
    const folder = await rigFolder('windlass-releases-');
    const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
    try {
      // Jobs of hosts run as root there, and sshd looks for keys as whoever logs in.
      await chmod(folder, 0o711);
      await mkdir(join(folder, 'data/logs'), { recursive: true });
      const secrets = await deploymentSecrets(join(folder, 'data'));
      const driverPassword = await admitDriver(folder, secrets);
      const log = evidence.log('postgres-and-nats');
      const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true, log });
      ends.push(() => postgres.stop());
      const users = [...natsUsersOf(secrets.natsPasswords), driverUser(driverPassword)];
      const nats = await startNats({ dataDir: join(folder, 'nats'), users, log });
      ends.push(() => nats.stop());
      const emulator = await OpenStackEmulator.start({ speed: 'instant' });
      ends.push(() => emulator.stop());
      const sshd = await TestSshd.start('MaxSessions 200');
      ends.push(() => sshd.stop());
      await layHostOut(folder, sshd);
      const fleet = new Fleet(folder, ends, secrets, { postgres, nats }, emulator, sshd, environment);
      ends.push(() => Promise.all([...fleet.#running.values()].map(({ process }) => process.stop())));
      await Promise.all(FLEET.map((service) => fleet.#begin(service, release)));
      await registerVim(fleet.api, emulator);
      return fleet;
    } catch (error) {
      await evidence.setAside(folder);
      for (const end of ends.reverse()) await end();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
  }

  /** A client of the API's present process. */
  get api(): ApiClient {
    return new ApiClient(this.#running.get('lcm-api')?.url ?? '', this.secrets.token);
  }

  /** Onboards the package whose hooks are the management driver's; its VNFD. */
  async onboard(): Promise<string> {
    const { vnfdId } = await this.api.onboard(await chaosPackage(this.folder));
    return String(vnfdId);
  }

  /**
   * Has a service be another release's: a process of that one comes first, then the one before is told to stop, as pods are replaced. Whoever looks for the API
   * finds the new one from there on, as behind a Service of Kubernetes.
   */
  async replace(service: string, release: Release): Promise<void> {
    const before = this.#running.get(service);
    await this.#begin(service, release);
    await before?.process.stop();
  }

  /** The URLs of the services' health and metrics. */
  get healthUrls(): string[] {
    return [...this.#running.values()].flatMap(({ process }) => [...process.healthUrls.values()]);
  }

  /** Adds the kernel's state of each process (sleeping, running, stopped) to the evidence of a failed test. */
  async noteProcesses(): Promise<void> {
    const note = evidence.log('processes');
    for (const [service, { process }] of this.#running) {
      const status = await readFile(`/proc/${process.pid ?? 0}/status`, 'utf8').catch((error: unknown) => String(error));
      note(`${service} ${process.pid ?? '-'}: ${/State:.*/.exec(status)?.[0] ?? status}`);
    }
  }

  /** Stops a service for good. */
  async end(service: string): Promise<void> {
    await this.#running.get(service)?.process.stop();
  }

  /** The release of each service. */
  get releases(): Record<string, string> {
    return Object.fromEntries([...this.#running].map(([service, { release }]) => [service, release.name]));
  }

  async #begin(service: string, release: Release): Promise<void> {
    this.#started += 1;
    const name = `${service}-${release.name}-${this.#started}`;
    const port = 20_000 + (Number.parseInt(randomBytes(2).toString('hex'), 16) % 10_000);
    const process = new SupervisedProcess({
      name,
      services: [service],
      program: service === CHAOS_SERVICE ? await this.#driverOf(release) : join(release.home, 'apps', service, 'dist/main.js'),
      environment: this.#environmentOf(service, port),
      logFile: join(this.folder, 'data/logs', `${name}.log`),
      say: evidence.log('deployment'),
    });
    try {
      await process.started(START_WITHIN);
      await process.ready(START_WITHIN);
    } catch (error) {
      await process.stop();
      throw error;
    }
    this.#running.set(service, { release, process, url: `http://127.0.0.1:${port}` });
  }

  /** Bundles the management driver with a release's own libraries. */
  async #driverOf({ name, home }: Release): Promise<string> {
    const known = this.#drivers.get(name);
    if (known !== undefined) return known;
    // Below the release's folder, so that the driver finds its packages.
    const folder = join(home, 'test-results/releases', randomBytes(4).toString('hex'));
    await mkdir(folder, { recursive: true });
    this.ends.unshift(() => rm(folder, { recursive: true, force: true }));
    const program = await bundleDriver(folder, home);
    this.#drivers.set(name, program);
    return program;
  }

  #environmentOf(service: string, port: number): Record<string, string> {
    const { secrets, servers, folder } = this;
    const known = SERVICES.find(({ name }) => name === service) ?? { name: service, core: false, parts: [] };
    const places = { databaseUrl: servers.postgres.url, natsUrl: servers.nats.url, port };
    const told = { ...environmentOf(known, secrets, places), VIM_ALLOW: '127.0.0.0/8', ...this.environment };
    if (service !== CHAOS_SERVICE) return told;
    return {
      ...told,
      NATS_PASSWORD_FILE: join(folder, 'data/secrets/driver-password'),
      WORKER_KEY_FILE: join(secrets.keyFolder, `${CHAOS_SERVICE}.key`),
      ENROLMENT_TOKEN_FILE: join(folder, 'data/secrets/driver-token'),
      CHAOS_HOST_PORT: String(this.sshd.port),
      CHAOS_HOST_KEY_FILE: join(folder, 'data/secrets/host-key'),
      CHAOS_HOST_FOLDER: join(folder, 'host'),
    };
  }
}

/** The operator's part of a driver's enrolment: a token for it, its hash for the coordinators, and a NATS user, whose password this is. */
async function admitDriver(folder: string, secrets: DeploymentSecrets): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const { publicX } = new CoreKeys(parseMasterKeys(secrets.masterKey));
  const token = makeToken(publicX);
  await writeFile(join(folder, 'data/secrets/driver-password'), password, { mode: 0o600 });
  await writeFile(join(folder, 'data/secrets/driver-token'), tokenText(token).reveal(), { mode: 0o600 });
  await appendFile(secrets.enrolmentTokensFile, `\n${standingLine({ service: CHAOS_SERVICE, ...hashOf(token) })}\n`);
  return password;
}

const driverUser = (password: string) => ({
  name: CHAOS_SERVICE,
  password,
  permissions: userPermissions(CHAOS_SERVICE, [
    { kind: 'worker', service: CHAOS_SERVICE },
    { kind: 'driver', drivers: [CHAOS_DRIVER] },
  ]),
});

async function layHostOut(folder: string, sshd: TestSshd): Promise<void> {
  const host = join(folder, 'host');
  await mkdir(join(host, 'locks'), { recursive: true });
  await cp(join(import.meta.dirname, '../../chaos/driver/ledger-job.sh'), join(host, 'ledger-job.sh'));
  await writeFile(join(host, 'ledger'), '');
  await writeFile(join(folder, 'data/secrets/host-key'), sshd.clientKey.reveal(), { mode: 0o600 });
}
