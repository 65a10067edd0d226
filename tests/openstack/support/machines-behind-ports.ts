import { setTimeout as pause } from 'node:timers/promises';
import type { HostFleet, MachineNic } from '@windlass/lab';
import type { LabProject } from './lab-project.js';

/** What the images of the samples are called, by which the lab knows their roots. */
const IMAGE = 'ubuntu-22.04-server-cloudimg-amd64';

const LOOK_EVERY = 200;

/**
 * The compute hosts of an OpenStack whose servers are records: each server of the project is a machine of the lab, at the addresses of its ports, for
 * as long as Nova lists it.
 */
export class MachinesBehindPorts {
  readonly #ended = new AbortController();
  readonly #running = new Set<string>();
  #looks: Promise<void>;

  private constructor(
    private readonly project: LabProject,
    private readonly fleet: HostFleet,
  ) {
    this.#looks = this.#goOn();
    // Told by end().
    this.#looks.catch(() => undefined);
  }

  static begin(project: LabProject, fleet: HostFleet): MachinesBehindPorts {
    return new MachinesBehindPorts(project, fleet);
  }

  /** @throws what kept it from going on */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#looks;
  }

  async #goOn(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await this.#look();
      await pause(LOOK_EVERY);
    }
  }

  async #look(): Promise<void> {
    const { servers } = (await this.project.get('compute', '/servers/detail')) as unknown as {
      servers: { id: string; name: string; status: string }[];
    };
    const listed = new Set(servers.filter(({ status }) => status === 'ACTIVE').map(({ id }) => id));
    // Before others are made: a server that replaces another has its ports, and so its addresses.
    const gone = [...this.#running].filter((id) => !listed.has(id));
    await Promise.all(gone.map((id) => this.fleet.destroy(id)));
    gone.forEach((id) => this.#running.delete(id));
    const fresh = servers.filter(({ id }) => listed.has(id) && !this.#running.has(id));
    await Promise.all(
      fresh.map(async ({ id, name }) => {
        const nics = await this.#nicsOf(id);
        // Nova's list and Neutron's are not of one moment.
        if (nics.length === 0) return;
        this.#running.add(id);
        await this.fleet.boot({ serverId: id, name, imageName: IMAGE, nics, volumes: [] });
      }),
    );
  }

  async #nicsOf(serverId: string): Promise<MachineNic[]> {
    return (await this.project.ports(serverId)).map(({ mac, address, pairs }) => ({
      ...{ mac, address, prefixLength: 24 },
      allowedAddresses: pairs,
    }));
  }
}
