import type { MachineFleet, MachineSpec } from '../../machine-fleet.js';
import { isoSeconds, naiveMicros, uuid } from '../state/ids.js';
import type { Neutron } from '../network/neutron.js';
import type { CloudState, Flavor, Image, Port, Server, Volume } from '../state/state.js';
import type { Cinder } from '../volume/cinder.js';
import { readConsole } from './console.js';
import { machineSpec } from './machine-spec.js';
import { requireFit } from './flavor-and-image.js';
import { computeError } from '../http/nova-errors.js';
import { Power, requireState } from './power.js';
import { NO_VALID_HOST, pickHost } from './scheduler.js';

/** One network card: a port that exists, or one that Nova makes on a network. */
export type NicRequest = { portId: string } | { networkId: string; fixedAddress?: string };

export interface DiskRequest {
  volumeId: string;
  /** 0 is the boot disk. */
  bootIndex: number;
  device?: string;
  deleteOnTermination?: boolean;
}

export interface ServerRequest {
  name: string;
  flavor: Flavor;
  image?: Image;
  /** Undefined: Nova picks the project's only network. */
  nics: NicRequest[] | undefined;
  disks?: DiskRequest[];
  keyName?: string;
  userData?: string;
  metadata?: Record<string, string>;
  groupId?: string;
  zone?: string;
  securityGroups?: string[];
  configDrive?: boolean;
  tags?: string[];
}

export interface NovaParts {
  state: CloudState;
  neutron: Neutron;
  cinder: Cinder;
  fleet: MachineFleet | undefined;
  hosts: readonly string[];
  /** Id of the lab's network: cards elsewhere are records only. */
  labNetworkId: string;
  /** How long the next stop or start of a server of that name is to take, in milliseconds. */
  powerDelay: (serverName: string) => number;
  /** When a server is made, in ms since 1970. */
  clock: () => number;
  /** Called when a server has changed by itself. */
  changed: () => void;
}

export const ZONE = 'nova';

/** Servers and what makes them run. */
export class Nova {
  readonly #building = new Map<string, Promise<void>>();
  readonly #deleting = new Map<string, Promise<void>>();
  readonly power: Power;
  #number = 0;

  constructor(private readonly parts: NovaParts) {
    const { fleet, powerDelay, changed } = parts;
    this.power = new Power({ fleet, delay: ({ name }) => powerDelay(name), changed, spec: (server) => this.spec(server) });
    this.#number = Math.max(0, ...[...parts.state.servers.values()].map((server) => server.number));
  }

  of = (projectId: string): Server[] =>
    [...this.parts.state.servers.values()].filter((server) => server.projectId === projectId).reverse();

  /** @throws HttpFailure 404 where the project has no such server; administrators see all. */
  get(projectId: string, id: string, isAdmin = false): Server {
    const server = this.parts.state.servers.get(id);
    if (server === undefined || (server.projectId !== projectId && !isAdmin)) {
      throw computeError(404, `Instance ${id} could not be found.`);
    }
    return server;
  }

  /** What is being done with it, unless its status says so already. */
  taskOf = (id: string): string | undefined => (this.#deleting.has(id) ? 'deleting' : this.power.taskOf(id));

  flavor = (nameOrId: string): Flavor | undefined => {
    const flavors = [...this.parts.state.flavors.values()];
    return flavors.find((one) => one.id === nameOrId) ?? flavors.find((one) => one.name === nameOrId);
  };

  /**
   * A server in BUILD; {@link Nova.built} tells when it is ACTIVE or in ERROR.
   * @throws HttpFailure where Nova's API would refuse: a port or volume in use, an unknown network, key or group.
   */
  boot(projectId: string, userId: string, requested: ServerRequest): Server {
    const { state, cinder } = this.parts;
    this.checkRequest(projectId, userId, requested);
    const volumes = (requested.disks ?? []).map((disk) => ({ disk, volume: cinder.get(projectId, disk.volumeId) }));
    const reserved: Volume[] = [];
    const own: Port[] = [];
    try {
      for (const { volume } of volumes) {
        cinder.reserve(volume);
        reserved.push(volume);
      }
      const ports = this.portsFor(projectId, requested, own);
      const server = this.record(projectId, userId, requested, ports, own, volumes);
      state.servers.set(server.id, server);
      for (const port of ports) this.parts.neutron.bind(port, server.id, '', server.zone);
      this.#building.set(server.id, this.build(server));
      return server;
    } catch (error) {
      for (const volume of reserved) cinder.detach(volume.id, '');
      for (const port of own) state.ports.delete(port.id);
      throw error;
    }
  }

  /** Resolves when the server is no longer being built. */
  built = async (id: string): Promise<void> => this.#building.get(id);

  /** Ends the machine, gives ports and volumes back, forgets the server. Repeated calls wait for the first. */
  delete(server: Server): Promise<void> {
    const running = this.#deleting.get(server.id);
    if (running !== undefined) return running;
    const deletion = this.remove(server).finally(() => this.#deleting.delete(server.id));
    this.#deleting.set(server.id, deletion);
    return deletion;
  }

  async reboot(server: Server, hard: boolean): Promise<void> {
    requireState(server, 'reboot', ['active', 'stopped', 'error'], this.power.taskOf(server.id));
    server.status = hard ? 'HARD_REBOOT' : 'REBOOT';
    await this.parts.fleet?.reboot(server.id);
    this.become(server, 'ACTIVE');
  }

  console = (server: Server, lines: number | undefined): Promise<string> => readConsole(this.parts.fleet, server, lines);

  /** Attaches a volume to a running server. */
  async attach(server: Server, volume: Volume, device: string | undefined): Promise<string> {
    this.parts.cinder.reserve(volume);
    const name = device ?? nextDevice(server);
    try {
      await this.built(server.id);
      if (this.parts.fleet !== undefined) {
        if (this.parts.fleet.attachVolume === undefined)
          throw computeError(501, 'This machine park attaches volumes at boot only.');
        await this.parts.fleet.attachVolume(server.id, { volumeId: volume.id, device: name, sizeGiB: volume.size });
      }
    } catch (error) {
      this.parts.cinder.detach(volume.id, '');
      throw error;
    }
    server.volumes.push({ volumeId: volume.id, device: name, deleteOnTermination: false });
    this.parts.cinder.attach(volume, server.id, name);
    return name;
  }

  async detach(server: Server, volumeId: string): Promise<void> {
    if (!server.volumes.some((one) => one.volumeId === volumeId)) {
      throw computeError(404, `Instance ${server.id} is not attached to volume ${volumeId}`);
    }
    await this.parts.fleet?.detachVolume?.(server.id, volumeId);
    server.volumes = server.volumes.filter((one) => one.volumeId !== volumeId);
    this.parts.cinder.detach(volumeId, server.id);
  }

  /** Gives the server these cards instead of those it has. Ports that Nova made and that leave are deleted. */
  async replug(server: Server, nics: NicRequest[]): Promise<void> {
    const { neutron, state, fleet } = this.parts;
    const own: Port[] = [];
    const kept = new Set(nics.flatMap((nic) => ('portId' in nic ? [nic.portId] : [])));
    for (const id of server.portIds) if (!kept.has(id)) this.unplug(server, id);
    const ports = this.cards(server.projectId, nics, own, server.id);
    for (const port of ports) neutron.bind(port, server.id, server.host ?? '', server.zone);
    server.portIds = ports.map((port) => port.id);
    server.ownPortIds = [...server.ownPortIds.filter((id) => state.ports.has(id)), ...own.map((port) => port.id)];
    server.updated = isoSeconds();
    if (fleet === undefined) return;
    if (fleet.replug === undefined) throw computeError(501, "This machine park can't change the cards of a running machine.");
    await fleet.replug(server.id, this.spec(server).nics);
  }

  /** Leaves the server only these cards, for the others go to its replacement. A fleet that can't do that ends the machine at once. */
  async unplugForReplacement(server: Server, stay: string[]): Promise<void> {
    for (const id of server.portIds) if (!stay.includes(id)) this.unplug(server, id);
    const { fleet } = this.parts;
    if (fleet === undefined || this.#deleting.has(server.id)) return;
    if (fleet.replug === undefined) await fleet.destroy(server.id);
    else await fleet.replug(server.id, this.spec(server).nics);
  }

  /** Makes the machine anew from another image; id, ports and volumes stay. */
  async rebuild(server: Server, image: Image): Promise<void> {
    server.imageId = image.id;
    server.imageName = image.name ?? image.id;
    await this.parts.fleet?.destroy(server.id);
    await this.parts.fleet?.boot(this.spec(server));
    this.become(server, 'ACTIVE');
  }

  /** Takes one card out. */
  unplug(server: Server, portId: string): void {
    this.parts.neutron.unbind(portId, server.id);
    if (server.ownPortIds.includes(portId)) this.parts.state.ports.delete(portId);
    server.portIds = server.portIds.filter((id) => id !== portId);
    server.ownPortIds = server.ownPortIds.filter((id) => id !== portId);
  }

  /** Boots the machines of all servers that ran when the lab was stopped; what was half-way is in ERROR. */
  async resume(): Promise<void> {
    await Promise.all([...this.parts.state.servers.values()].map((server) => this.resumeOne(server)));
  }

  private async resumeOne(server: Server): Promise<void> {
    if (['BUILD', 'REBOOT', 'HARD_REBOOT', 'REBUILD'].includes(server.status)) this.become(server, 'ERROR');
    if (server.status !== 'ACTIVE') return;
    await this.parts.fleet?.boot(this.spec(server)).catch((error: unknown) => this.fail(server, error));
  }

  private checkRequest(projectId: string, userId: string, requested: ServerRequest): void {
    const { state } = this.parts;
    if (requested.zone !== undefined && requested.zone !== ZONE)
      throw computeError(400, 'The requested availability zone is not available');
    if (requested.keyName !== undefined && !state.keyPairs.has(`${userId}/${requested.keyName}`)) {
      throw computeError(400, 'Invalid key_name provided.');
    }
    const group = requested.groupId === undefined ? undefined : state.serverGroups.get(requested.groupId);
    if (requested.groupId !== undefined && group?.projectId !== projectId) {
      throw computeError(400, `Instance group ${requested.groupId} could not be found.`);
    }
    if (requested.image !== undefined && requested.image.status !== 'active') {
      throw computeError(400, `Image ${requested.image.id} is not active.`);
    }
    if (requested.image === undefined && !(requested.disks ?? []).some((disk) => disk.bootIndex === 0)) {
      throw computeError(
        400,
        'Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.',
      );
    }
    const root = (requested.disks ?? []).find((disk) => disk.bootIndex === 0);
    const fromVolume = root === undefined ? undefined : state.images.get(state.volumes.get(root.volumeId)?.imageId ?? '');
    requireFit(requested.flavor, root === undefined ? requested.image : fromVolume, root !== undefined);
  }

  private portsFor(projectId: string, requested: ServerRequest, own: Port[]): Port[] {
    const nics = requested.nics ?? [{ networkId: this.onlyNetwork(projectId) }];
    return this.cards(projectId, nics, own, '');
  }

  private cards(projectId: string, nics: NicRequest[], own: Port[], serverId: string): Port[] {
    const { neutron } = this.parts;
    return nics.map((nic) => {
      if ('portId' in nic) {
        const port = this.portOf(projectId, nic.portId);
        if (port.deviceId !== '' && port.deviceId !== serverId) throw computeError(409, `Port ${port.id} is still in use.`);
        return port;
      }
      const made = neutron.createPort({
        projectId,
        networkId: nic.networkId,
        ...(nic.fixedAddress === undefined ? {} : { fixedIps: [{ address: nic.fixedAddress }] }),
      });
      own.push(made);
      return made;
    });
  }

  private portOf(projectId: string, id: string): Port {
    const port = this.parts.state.ports.get(id);
    if (port?.projectId !== projectId) throw computeError(400, `Port id ${id} could not be found.`);
    return port;
  }

  private onlyNetwork(projectId: string): string {
    const networks = this.parts.neutron.networksOf(projectId).filter((network) => !network.external);
    const [first, second] = networks;
    if (first === undefined || second !== undefined) {
      throw computeError(409, 'Multiple possible networks found, use a Network ID to be more specific.');
    }
    return first.id;
  }

  private record(
    projectId: string,
    userId: string,
    requested: ServerRequest,
    ports: Port[],
    own: Port[],
    volumes: { disk: DiskRequest; volume: Volume }[],
  ): Server {
    const now = isoSeconds(this.parts.clock());
    const bootVolume = volumes.find(({ disk }) => disk.bootIndex === 0)?.volume;
    this.#number += 1;
    return {
      id: uuid(),
      name: requested.name,
      projectId,
      userId,
      status: 'BUILD',
      host: null,
      zone: requested.zone ?? ZONE,
      flavorId: requested.flavor.id,
      flavorName: requested.flavor.name,
      imageId: requested.image?.id ?? null,
      imageName: requested.image?.name ?? bootVolume?.imageName ?? '',
      keyName: requested.keyName ?? null,
      userData: requested.userData ?? null,
      metadata: requested.metadata ?? {},
      tags: requested.tags ?? [],
      groupId: requested.groupId ?? null,
      configDrive: requested.configDrive === true ? 'True' : '',
      portIds: ports.map((port) => port.id),
      ownPortIds: own.map((port) => port.id),
      volumes: volumes.map(({ disk, volume }, index) => ({
        volumeId: volume.id,
        device:
          disk.bootIndex === 0 ? '/dev/vda' : (devicePath(disk.device) ?? deviceAt(bootVolume === undefined ? index + 1 : index)),
        deleteOnTermination: disk.deleteOnTermination ?? false,
      })),
      securityGroups: requested.securityGroups ?? ['default'],
      fault: null,
      number: this.#number,
      created: now,
      updated: now,
      launchedAt: null,
    };
  }

  private async build(server: Server): Promise<void> {
    const { state, neutron, cinder, fleet } = this.parts;
    try {
      const host = pickHost(state, this.parts.hosts, server);
      if (host === undefined) throw new Error(NO_VALID_HOST);
      server.host = host;
      for (const id of server.portIds) {
        const port = state.ports.get(id);
        if (port !== undefined) neutron.bind(port, server.id, host, server.zone);
      }
      for (const { volumeId, device } of server.volumes) {
        const volume = state.volumes.get(volumeId);
        if (volume !== undefined) cinder.attach(volume, server.id, device);
      }
      if (fleet === undefined) await Promise.resolve();
      else await fleet.boot(this.spec(server));
      server.launchedAt = naiveMicros();
      this.become(server, 'ACTIVE');
    } catch (error) {
      this.fail(server, error);
    } finally {
      this.#building.delete(server.id);
    }
  }

  private async remove(server: Server): Promise<void> {
    const { state, neutron, cinder, fleet } = this.parts;
    await this.built(server.id);
    await this.power.settled(server.id);
    await fleet?.destroy(server.id);
    for (const id of server.portIds) neutron.unbind(id, server.id);
    for (const id of server.ownPortIds) state.ports.delete(id);
    for (const { volumeId, deleteOnTermination } of server.volumes) {
      cinder.detach(volumeId, server.id);
      if (deleteOnTermination) state.volumes.delete(volumeId);
    }
    state.servers.delete(server.id);
    this.parts.changed();
  }

  private spec = (server: Server): MachineSpec => machineSpec(this.parts.state, server, this.parts.labNetworkId);

  private fail(server: Server, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    server.fault = { code: 500, message, created: isoSeconds() };
    this.become(server, 'ERROR');
  }

  private become(server: Server, status: Server['status']): void {
    server.status = status;
    server.updated = isoSeconds();
    this.parts.changed();
  }
}

const deviceAt = (index: number): string => `/dev/vd${String.fromCharCode(97 + index)}`;

const devicePath = (device: string | undefined): string | undefined =>
  device === undefined || device.startsWith('/dev/') ? device : `/dev/${device}`;

function nextDevice(server: Server): string {
  const used = new Set(['/dev/vda', ...server.volumes.map((one) => one.device)]);
  let index = 1;
  while (used.has(deviceAt(index))) index += 1;
  return deviceAt(index);
}
