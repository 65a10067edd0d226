import { setTimeout as pause } from 'node:timers/promises';
import type { HostFleet, MachineNic } from '@windlass/lab';
import type { LabProject } from './lab-project.js';

/** The name of the samples' image, by which the lab finds the image's root file system. */
const IMAGE = 'ubuntu-22.04-server-cloudimg-amd64';

const LOOK_EVERY = 200;

/**
 * The compute hosts of an OpenStack whose servers are records: each server of the project is a machine of the lab with the addresses of the server's ports, for
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
    // end() reports the error.
    this.#looks.catch(() => undefined);
  }

  static begin(project: LabProject, fleet: HostFleet): MachinesBehindPorts {
    return new MachinesBehindPorts(project, fleet);
  }

  /** Ends the machines. @throws the error that ended the work */
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
    // Ended before new machines are made: a replacing server has the ports, and so the addresses, of the other.
    const gone = [...this.#running].filter((id) => !listed.has(id));
    await Promise.all(gone.map((id) => this.fleet.destroy(id)));
    gone.forEach((id) => this.#running.delete(id));
    const fresh = servers.filter(({ id }) => listed.has(id) && !this.#running.has(id));
    await Promise.all(
      fresh.map(async ({ id, name }) => {
        const nics = await this.#nicsOf(id);
        // Nova may list a server whose ports Neutron has not bound yet.
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
