import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { LabNetwork } from '@windlass/lab';
import { OpenStackSession, type ServiceRequest, type ServiceType } from '@windlass/openstack';
import { realConnection, required, type ProjectUser } from '../testing/real-connection.js';

export interface ServerGroup {
  id: string;
  name: string;
  policy: string;
  members: string[];
}

export interface PlacedServer {
  id: string;
  status: string;
  host: string;
  server_groups: string[];
}

export interface ShownPort {
  /** The server of the port; empty where it is no server's. */
  serverId: string;
  mac: string;
  address: string;
  /** The allowed address pairs. */
  pairs: string[];
}

interface NeutronPort {
  device_id: string;
  mac_address: string;
  fixed_ips: { ip_address: string }[];
  allowed_address_pairs: { ip_address: string }[];
}

/** The microversion in which Nova shows a group's one policy and a server's groups. */
const NOVA_VERSION = '2.71';

/** The roles of the users: Nova shows compute hosts to administrators alone. */
const ROLES = { seeing: ['member', 'heat_stack_owner', 'admin'], blind: ['member', 'heat_stack_owner'] } as const;

/** A project of the real OpenStack for one test, whose network has the addresses of a lab's machines. */
export class LabProject {
  private constructor(
    private readonly admin: OpenStackSession,
    /** A session of the user who sees compute hosts. */
    private readonly own: OpenStackSession,
    private readonly projectId: string,
    readonly networkName: string,
    /** A user who sees the compute hosts of servers. */
    readonly seeing: ProjectUser,
    /** A user who does not. */
    readonly blind: ProjectUser,
    private readonly made: string[],
  ) {}

  static async make(network: LabNetwork): Promise<LabProject> {
    const name = `lab-${randomUUID().slice(0, 8)}`;
    const administrator = {
      name: required('OS_ADMIN_USERNAME'),
      password: required('OS_ADMIN_PASSWORD'),
      project: required('OS_ADMIN_PROJECT_NAME'),
    };
    const admin = OpenStackSession.open(realConnection(administrator));
    const made: string[] = [];
    const create = async (path: string, kind: string, what: JsonObject): Promise<string> => {
      const { body } = await admin.request('identity', { method: 'POST', path, json: { [kind]: what }, expect: [201] });
      const id = body().object(kind).text('id');
      made.unshift(`${path}/${id}`);
      return id;
    };
    const project = await create('/projects', 'project', { name, domain_id: 'default' });
    const userWith = async (roles: readonly string[], of: string): Promise<ProjectUser> => {
      const user = { name: `${name}-${of}`, password: randomUUID(), project: name };
      const id = await create('/users', 'user', { name: user.name, password: user.password, domain_id: 'default' });
      for (const role of roles) {
        const { body } = await admin.request('identity', { method: 'GET', path: '/roles', query: { name: role }, expect: [200] });
        const path = `/projects/${project}/users/${id}/roles/${body().objects('roles')[0]!.text('id')}`;
        await admin.request('identity', { method: 'PUT', path, expect: [204] });
      }
      return user;
    };
    const seeing = await userWith(ROLES.seeing, 'seeing');
    const blind = await userWith(ROLES.blind, 'blind');
    const own = OpenStackSession.open(realConnection(seeing));
    const lab = new LabProject(admin, own, project, name, seeing, blind, made);
    await lab.#makeNetwork(network);
    return lab;
  }

  async #makeNetwork({ cidr, gateway, firstAddress, lastAddress }: LabNetwork): Promise<void> {
    const network = await this.#make('/networks', 'network', { name: this.networkName });
    await this.#make('/subnets', 'subnet', {
      ...{ network_id: network, ip_version: 4, cidr, gateway_ip: gateway, enable_dhcp: false },
      allocation_pools: [{ start: firstAddress, end: lastAddress }],
    });
  }

  async #make(path: string, kind: string, what: JsonObject): Promise<string> {
    const answer = await this.own.request('network', { method: 'POST', path, json: { [kind]: what }, expect: [201] });
    return answer.body().object(kind).text('id');
  }

  /** A service's answer to a GET. */
  async get(service: ServiceType, path: string, query: ServiceRequest['query'] = {}): Promise<JsonObject> {
    const headers = service === 'compute' ? { 'X-OpenStack-Nova-API-Version': NOVA_VERSION } : {};
    const answer = await this.own.request(service, { method: 'GET', path, query, headers, expect: [200] });
    return answer.body().value;
  }

  async servers(): Promise<PlacedServer[]> {
    const { servers } = (await this.get('compute', '/servers/detail')) as { servers: { id: string }[] };
    return Promise.all(
      servers.map(async ({ id }) => {
        const { server } = (await this.get('compute', `/servers/${id}`)) as { server: JsonObject };
        return { ...(server as unknown as PlacedServer), host: String(server['OS-EXT-SRV-ATTR:host']) };
      }),
    );
  }

  async serverGroups(): Promise<ServerGroup[]> {
    return ((await this.get('compute', '/os-server-groups')) as unknown as { server_groups: ServerGroup[] }).server_groups;
  }

  /** The project's ports, or those of one server. */
  async ports(serverId?: string): Promise<ShownPort[]> {
    const query = { project_id: this.projectId, ...(serverId === undefined ? {} : { device_id: serverId }) };
    const { ports } = (await this.get('network', '/ports', query)) as unknown as { ports: NeutronPort[] };
    return ports.map((port) => ({
      ...{ serverId: port.device_id, mac: port.mac_address, address: port.fixed_ips[0]?.ip_address ?? '' },
      pairs: port.allowed_address_pairs.map(({ ip_address: address }) => address),
    }));
  }

  /** The number of objects in the project, by each kind that a VNF may make. */
  async counts(): Promise<Record<string, number>> {
    const mine = { project_id: this.projectId };
    const numbers = async (service: ServiceType, path: string, kind: string, query: ServiceRequest['query'] = {}) => {
      const found = (await this.get(service, path, query))[kind] as unknown[];
      return [kind, found.length] as const;
    };
    return Object.fromEntries(
      await Promise.all([
        numbers('orchestration', '/stacks', 'stacks'),
        numbers('compute', '/servers', 'servers'),
        numbers('compute', '/os-server-groups', 'server_groups'),
        numbers('network', '/ports', 'ports', mine),
        numbers('image', '/images', 'images', { owner: this.projectId }),
      ]),
    );
  }

  /** Removes the network, the users and the project. */
  async remove(): Promise<void> {
    const { networks } = (await this.get('network', '/networks', { name: this.networkName })) as unknown as {
      networks: { id: string }[];
    };
    for (const { id } of networks)
      await this.own.request('network', { method: 'DELETE', path: `/networks/${id}`, expect: [204] });
    this.own.close();
    for (const path of this.made) await this.admin.request('identity', { method: 'DELETE', path, expect: [204] });
    this.admin.close();
  }
}
