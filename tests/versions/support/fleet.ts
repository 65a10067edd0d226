import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import type { OpenStackEmulator } from '@windlass/lab';
import { ApiClient, NODE_ARGUMENTS, SERVICES, SupervisedProcess } from '@windlass/windlass';
import { CHAOS_SERVICE } from '../../chaos/driver/chaos.driver.js';
import { AdmittedDriver } from '../../chaos/stage/admitted-driver.js';
import { chaosPackage } from '../../chaos/stage/chaos-package.js';
import { bundleDriver } from '../../chaos/stage/driver-program.js';
import { quietPort } from '../../chaos/stage/quiet-port.js';
import { BackingServices } from '../../support/backing-services.js';
import type { Release } from './older-release.js';

/** The services of the fleet: each is one process, and two while it is replaced. */
export const FLEET = [...SERVICES.map(({ name }) => name), CHAOS_SERVICE];

/** The limit for the start of eight processes at once, on a busy machine. */
const START_WITHIN = minutes(3);

/**
 * Windlass as an operator runs it: each service is a process, of one release or another, over PostgreSQL, NATS with this release's users,
 * an OpenStack in this process and one machine behind an sshd, on which a management driver runs jobs.
 */
export class Fleet {
  readonly #running = new Map<string, { release: Release; process: SupervisedProcess; url: string }>();
  readonly #drivers = new Map<string, string>();
  #started = 0;

  private constructor(
    private readonly backing: BackingServices,
    private readonly driver: AdmittedDriver,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Starts every service of a release. */
  static start(release: Release, environment: Readonly<Record<string, string>>): Promise<Fleet> {
    return BackingServices.under('windlass-releases-', async (backing) => {
      await backing.startOpenStack();
      const driver = await AdmittedDriver.admit(backing);
      await backing.startServers({ moreUsers: [driver.natsUser] });
      const fleet = new Fleet(backing, driver, environment);
      backing.endFirst(() => Promise.all([...fleet.#running.values()].map(({ process }) => process.stop())));
      await Promise.all(FLEET.map((service) => fleet.#begin(service, release)));
      await backing.registerOpenStack(fleet.api);
      return fleet;
    });
  }

  close(): Promise<void> {
    return this.backing.close();
  }

  /** A client of the API's present process. */
  get api(): ApiClient {
    return new ApiClient(this.#running.get('lcm-api')?.url ?? '', this.backing.secrets.token);
  }

  /** The rig's folder: `data/logs` has the log of each process. */
  get folder(): string {
    return this.backing.folder;
  }

  get emulator(): OpenStackEmulator {
    return this.backing.emulator;
  }

  /** Onboards the package whose hooks the management driver plans. Returns the VNFD's id. */
  async onboard(): Promise<string> {
    const { vnfdId } = await this.api.onboard(await chaosPackage(this.backing.folder));
    return String(vnfdId);
  }

  /**
   * Replaces a service by another release's: first a process of that release starts, then the process before is told to stop, as pods are replaced. Clients of the API
   * find the new process from then on, as behind a Service of Kubernetes.
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
    const port = await quietPort();
    const process = new SupervisedProcess({
      name,
      services: [service],
      program: service === CHAOS_SERVICE ? await this.#driverOf(release) : join(release.home, 'apps', service, 'dist/main.js'),
      nodeArguments: NODE_ARGUMENTS,
      environment: this.#environmentOf(service, port),
      logFile: join(this.backing.dataDir, 'logs', `${name}.log`),
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
    this.backing.endLast(() => rm(folder, { recursive: true, force: true }));
    const program = await bundleDriver(folder, home);
    this.#drivers.set(name, program);
    return program;
  }

  #environmentOf(service: string, port: number): Record<string, string> {
    return {
      ...this.backing.environmentOf(service, port),
      ...this.environment,
      ...this.driver.environmentFor(service),
    };
  }
}
