import { isJsonObject, type Json } from '@windlass/foundation';
import type { AnswerReader } from '../http/answer-reader.js';
import { urlPath } from '../http/url-path.js';
import type { OpenStackSession } from '../session/openstack-session.js';

/** A server as its owner sees it. */
export interface Server {
  id: string;
  name: string;
  /** `ACTIVE`, `SHUTOFF`, `ERROR`, ... */
  status: string;
  /** What Nova is doing with it: `powering-off`, `spawning`, ...; absent where it rests. */
  task: string | undefined;
  createdAt: string;
  /** Tells apart the hosts of one project without naming them. */
  hostId: string | undefined;
  /** Only where policy shows it to us; administrators by default. */
  host: string | undefined;
  availabilityZone: string | undefined;
  imageId: string | undefined;
  flavorId: string | undefined;
  /** Ids of attached volumes. */
  volumeIds: string[];
  /** SSH host keys that its metadata has, as `windlass:host_key` or `windlass:host_key:<anything>`; absent where there are none. */
  hostKeys: string[] | undefined;
  /** Nova's words where the server is in ERROR. */
  fault: string | undefined;
}

export interface AvailabilityZone {
  name: string;
  available: boolean;
}

export interface ServerGroup {
  id: string;
  name: string;
  /** `anti-affinity`, `affinity`, `soft-...` */
  policies: string[];
  /** Ids of servers. */
  members: string[];
}

export interface Flavor {
  id: string;
  name: string;
  vcpus: number;
  ramMiB: number;
  diskGiB: number;
}

/** The part of Nova in use, in its oldest microversion. Throws what OpenStackSession.request throws. */
export class NovaApi {
  constructor(private readonly session: OpenStackSession) {}

  /** Undefined when there is no such server. */
  async getServer(id: string): Promise<Server | undefined> {
    const answer = await this.session.request('compute', { method: 'GET', path: urlPath`/servers/${id}`, expect: [200, 404] });
    return answer.status === 404 ? undefined : readServer(answer.body().object('server'));
  }

  /** Asks for the deletion; false when there is no such server any more. Ports and volumes that were made for it by others stay. */
  async deleteServer(id: string): Promise<boolean> {
    const answer = await this.session.request('compute', { method: 'DELETE', path: urlPath`/servers/${id}`, expect: [204, 404] });
    return answer.status === 204;
  }

  /**
   * Asks Nova to stop a server (from ACTIVE or ERROR) or to start one (from SHUTOFF); the answer comes before the work. Nova lets the guest shut
   * down by itself for a minute before it pulls the plug.
   * @returns false where Nova refuses, since the server is in another state or something else is being done with it
   * @throws TerminalError `openstack.not-found` where there is no such server any more
   */
  async powerServer(id: string, action: 'stop' | 'start'): Promise<boolean> {
    const answer = await this.session.request('compute', {
      method: 'POST',
      path: urlPath`/servers/${id}/action`,
      json: { [`os-${action}`]: null },
      expect: [202, 409],
    });
    return answer.status === 202;
  }

  /** The project's servers; `name` is matched as a whole, not as the pattern that Nova takes it for. */
  async listServers(filter: { name?: string } = {}): Promise<Server[]> {
    const query = filter.name === undefined ? {} : { name: `^${escapePattern(filter.name)}$` };
    const found: Server[] = [];
    for (let marker: string | undefined; ;) {
      const page = await this.#list('/servers/detail', 'servers', { ...query, limit: PAGE, marker });
      found.push(...page.map(readServer));
      marker = found.at(-1)?.id;
      if (page.length < PAGE || marker === undefined) return found;
    }
  }

  /**
   * Whether policy shows us the compute hosts of servers, as one server tells that the project has, or has had: deleted ones are listed for a
   * while. Undefined where there is none.
   */
  async showsHosts(): Promise<boolean | undefined> {
    const [server] = await this.#list('/servers/detail', 'servers', { 'changes-since': '1970-01-01T00:00:00Z', limit: 1 });
    return server === undefined ? undefined : Object.hasOwn(server.value, HOST);
  }

  /** Zones by name. */
  async availabilityZones(): Promise<AvailabilityZone[]> {
    const zones = await this.#list('/os-availability-zone', 'availabilityZoneInfo');
    return zones.map((zone) => ({ name: zone.text('zoneName'), available: zone.object('zoneState').flag('available') }));
  }

  async serverGroups(): Promise<ServerGroup[]> {
    const groups = await this.#list('/os-server-groups', 'server_groups');
    return groups.map((group) => ({
      id: group.text('id'),
      name: group.text('name'),
      policies: group.texts('policies'),
      members: group.texts('members'),
    }));
  }

  /** Limits of the project and what is used of them, by Nova's own names: `maxTotalCores`, `totalCoresUsed`; below 0: none. */
  async limits(): Promise<Record<string, number>> {
    const answer = await this.session.request('compute', { method: 'GET', path: '/limits', expect: [200] });
    const { value } = answer.body().object('limits').object('absolute');
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  }

  /** Compute hosts that take servers; undefined where policy shows them to administrators only. */
  async computeHosts(): Promise<string[] | undefined> {
    const path = '/os-availability-zone/detail';
    const answer = await this.session.request('compute', { method: 'GET', path, expect: [200, 403] });
    if (answer.status === 403) return undefined;
    const zones = answer.body().objects('availabilityZoneInfo');
    const hosts = zones.flatMap((zone) => {
      const of = zone.objectIfAny('hosts')?.value ?? {};
      return Object.keys(of).filter((host) => isUp(of[host]));
    });
    return [...new Set(hosts)];
  }

  /** All flavours that we may use. */
  async listFlavors(): Promise<Flavor[]> {
    return (await this.#list('/flavors/detail', 'flavors', { limit: FLAVORS_AT_ONCE })).map(readFlavor);
  }

  /** The flavour of that name, or of that id; undefined when there is none that we may use. */
  async findFlavor(nameOrId: string): Promise<Flavor | undefined> {
    const flavors = await this.listFlavors();
    return flavors.find((flavor) => flavor.name === nameOrId) ?? flavors.find((flavor) => flavor.id === nameOrId);
  }

  async #list(path: string, member: string, query: Record<string, string | number | undefined> = {}): Promise<AnswerReader[]> {
    const answer = await this.session.request('compute', { method: 'GET', path, query, expect: [200] });
    return answer.body().objects(member);
  }
}

/** Whether the host's nova-compute is up and takes servers. */
function isUp(services: Json | undefined): boolean {
  const compute = isJsonObject(services) ? services['nova-compute'] : undefined;
  return isJsonObject(compute) && compute.available === true && compute.active === true;
}

/** Absent, and not null, where policy does not show it. */
const HOST = 'OS-EXT-SRV-ATTR:host';
/** Servers a page; Nova cuts at 1000 by default. */
const PAGE = 500;
/** More flavours than any cloud has. */
export const FLAVORS_AT_ONCE = 1_000;

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function readServer(server: AnswerReader): Server {
  return {
    id: server.text('id'),
    name: server.text('name'),
    status: server.text('status'),
    task: server.textIfAny('OS-EXT-STS:task_state'),
    createdAt: server.text('created'),
    hostId: server.textIfAny('hostId'),
    host: server.textIfAny(HOST),
    availabilityZone: server.textIfAny('OS-EXT-AZ:availability_zone'),
    // A server that boots from a volume has the empty string here.
    imageId: server.objectIfAny('image')?.textIfAny('id'),
    flavorId: server.objectIfAny('flavor')?.textIfAny('id'),
    volumeIds: server.objects('os-extended-volumes:volumes_attached').map((volume) => volume.text('id')),
    hostKeys: hostKeysIn(server.objectIfAny('metadata')),
    fault: server.objectIfAny('fault')?.textIfAny('message'),
  };
}

/** A template can set them: a key that cloud-init gives the machine is known before the machine is first seen. */
const HOST_KEY_METADATA = /^windlass:host_key(:.*)?$/;

/** Type and base64 of each. One that is no key is kept: the machine shall show it, and can't, so it is not trusted on sight. */
function hostKeysIn(metadata: AnswerReader | undefined): string[] | undefined {
  const names = Object.keys(metadata?.value ?? {}).filter((name) => HOST_KEY_METADATA.test(name));
  const texts = names.map((name) => metadata?.textIfAny(name)?.trim() ?? '').filter((text) => text !== '');
  const keys = texts.map((text) => text.split(/\s+/).slice(0, 2).join(' '));
  return keys.length === 0 ? undefined : keys;
}

function readFlavor(flavor: AnswerReader): Flavor {
  return {
    id: flavor.text('id'),
    name: flavor.text('name'),
    vcpus: flavor.number('vcpus'),
    ramMiB: flavor.number('ram'),
    diskGiB: flavor.number('disk'),
  };
}
