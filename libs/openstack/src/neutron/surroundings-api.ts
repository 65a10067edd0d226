import { TerminalError, isUuid } from '@windlass/foundation';
import type { AnswerReader } from '../http/answer-reader.js';
import { urlPath, type Query } from '../http/url-path.js';
import type { OpenStackSession } from '../session/openstack-session.js';

export interface NetworkFacts {
  id: string;
  name: string;
  projectId: string;
  adminStateUp: boolean;
  status: string;
  external: boolean;
  shared: boolean;
  portSecurity: boolean;
  mtu: number | undefined;
}

export interface SubnetFacts {
  id: string;
  name: string;
  cidr: string;
  ipVersion: number;
  gateway: string | undefined;
  dhcp: boolean;
  nameServers: string[];
}

export interface PortFacts {
  id: string;
  networkId: string;
  /** The server or other device that has it; empty where none does. */
  deviceId: string;
}

export interface RouterPort {
  routerId: string;
  subnetIds: string[];
}

export interface Router {
  id: string;
  name: string;
  adminStateUp: boolean;
  status: string;
  /** Addresses towards the external network; absent where it has no gateway. */
  gateway: { networkId: string; addresses: string[] } | undefined;
}

export interface SecurityGroupFacts {
  id: string;
  name: string;
  projectId: string;
  rules: {
    direction: string;
    ethertype: string;
    protocol: string | undefined;
    min: number | undefined;
    max: number | undefined;
    prefix: string | undefined;
    remoteGroup: string | undefined;
    addressGroup: string | undefined;
  }[];
}

/** A limit and what is used of it; `limit` below 0: none. */
export interface NetworkQuota {
  limit: number;
  used: number;
}

/** What Neutron tells of what lies around ports: for looking, nothing is changed. Throws what OpenStackSession.request throws. */
export class SurroundingsApi {
  constructor(private readonly session: OpenStackSession) {}

  /**
   * The network of that id, or all of that name: Heat refuses a name that several have. Neutron's ids are UUIDs, so what is none is looked for by
   * name first.
   */
  async networks(nameOrId: string): Promise<NetworkFacts[]> {
    const byId = { id: nameOrId };
    const byName = { name: nameOrId };
    const [first, second] = isUuid(nameOrId) ? [byId, byName] : [byName, byId];
    const found = await this.#list('/networks', 'networks', first);
    return (found.length > 0 ? found : await this.#list('/networks', 'networks', second)).map(readNetwork);
  }

  /** External networks: where routers lead, and floating IPs come from. */
  async externalNetworks(): Promise<NetworkFacts[]> {
    return (await this.#list('/networks', 'networks', { 'router:external': 'true' })).map(readNetwork);
  }

  async subnets(networkId: string): Promise<SubnetFacts[]> {
    return (await this.#list('/subnets', 'subnets', { network_id: networkId })).map((subnet) => ({
      id: subnet.text('id'),
      name: subnet.textIfAny('name') ?? '',
      cidr: subnet.text('cidr'),
      ipVersion: subnet.number('ip_version'),
      gateway: subnet.textIfAny('gateway_ip'),
      dhcp: subnet.flag('enable_dhcp'),
      nameServers: subnet.texts('dns_nameservers'),
    }));
  }

  /** The port of that id, or all of that name: Heat refuses a name that several have. */
  async ports(nameOrId: string): Promise<PortFacts[]> {
    const byId = await this.#list('/ports', 'ports', { id: nameOrId });
    const found = byId.length > 0 ? byId : await this.#list('/ports', 'ports', { name: nameOrId });
    return found.map(readPort);
  }

  /** Ports of a network that have an address, as far as they are shown to us: those of other projects are not. @param address as Neutron writes it */
  async portsWith(networkId: string, address: string): Promise<PortFacts[]> {
    const query = { network_id: networkId, fixed_ips: `ip_address=${address}` };
    return (await this.#list('/ports', 'ports', query)).map(readPort);
  }

  /** Ports of routers on a network, as far as they are shown to us: those of another project's router are not. */
  async routerPorts(networkId: string): Promise<RouterPort[]> {
    const ports = await this.#list('/ports', 'ports', { network_id: networkId });
    return ports
      .filter((port) => port.textIfAny('device_owner')?.startsWith('network:') === true)
      .filter((port) => /router|ha_/.test(port.textIfAny('device_owner') ?? '') && port.textIfAny('device_id') !== undefined)
      .map((port) => ({
        routerId: port.text('device_id'),
        subnetIds: port.objects('fixed_ips').map((ip) => ip.text('subnet_id')),
      }));
  }

  /** Undefined where there is none that we may see. */
  async router(id: string): Promise<Router | undefined> {
    const answer = await this.session.request('network', { method: 'GET', path: urlPath`/routers/${id}`, expect: [200, 404] });
    if (answer.status === 404) return undefined;
    const router = answer.body().object('router');
    const gateway = router.objectIfAny('external_gateway_info');
    return {
      id: router.text('id'),
      name: router.textIfAny('name') ?? '',
      adminStateUp: router.flag('admin_state_up'),
      status: router.textIfAny('status') ?? '',
      gateway:
        gateway === undefined
          ? undefined
          : {
              networkId: gateway.text('network_id'),
              addresses: gateway.objects('external_fixed_ips').map((ip) => ip.text('ip_address')),
            },
    };
  }

  /** The security groups that we may use, with their rules. */
  async securityGroups(): Promise<SecurityGroupFacts[]> {
    return (await this.#list('/security-groups', 'security_groups', {})).map((group) => ({
      id: group.text('id'),
      name: group.textIfAny('name') ?? '',
      projectId: group.textIfAny('project_id') ?? group.textIfAny('tenant_id') ?? '',
      rules: group.objects('security_group_rules').map((rule) => ({
        direction: rule.text('direction'),
        ethertype: rule.textIfAny('ethertype') ?? 'IPv4',
        // A protocol that has no name in Neutron is a number, which some releases write as one.
        protocol: typeof rule.value.protocol === 'number' ? String(rule.value.protocol) : rule.textIfAny('protocol'),
        min: rule.numberIfAny('port_range_min'),
        max: rule.numberIfAny('port_range_max'),
        prefix: rule.textIfAny('remote_ip_prefix'),
        remoteGroup: rule.textIfAny('remote_group_id'),
        addressGroup: rule.textIfAny('remote_address_group_id'),
      })),
    }));
  }

  /**
   * Limits and use of a project, by Neutron's names: `port`, `security_group`.
   * Undefined where this Neutron has no extension `quota_details`, or its policy does not show it.
   */
  async quotas(projectId: string): Promise<Record<string, NetworkQuota> | undefined> {
    const path = urlPath`/quotas/${projectId}/details`;
    const answer = await this.session.request('network', { method: 'GET', path, expect: [200, 403, 404] });
    if (answer.status !== 200) return undefined;
    const quota = answer.body().object('quota');
    return Object.fromEntries(
      Object.keys(quota.value).map((name) => {
        const { used, reserved, limit } = ofQuota(quota.object(name));
        return [name, { limit, used: used + reserved }];
      }),
    );
  }

  async #list(path: string, member: string, query: Query): Promise<AnswerReader[]> {
    const answer = await this.session.request('network', { method: 'GET', path, query, expect: [200] });
    return answer.body().objects(member);
  }
}

/** Neutron writes these as numbers, and in some releases as text. */
function ofQuota(quota: AnswerReader): { limit: number; used: number; reserved: number } {
  const number = (name: string): number => {
    const value = quota.value[name];
    const read = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (typeof read === 'number') return read;
    throw new TerminalError('openstack.unexpected-answer', `expected a number at ${name} of a quota in the VIM's answer`);
  };
  return { limit: number('limit'), used: number('used'), reserved: quota.value.reserved === undefined ? 0 : number('reserved') };
}

const readPort = (port: AnswerReader): PortFacts => ({
  id: port.text('id'),
  networkId: port.text('network_id'),
  deviceId: port.textIfAny('device_id') ?? '',
});

const readNetwork = (network: AnswerReader): NetworkFacts => ({
  id: network.text('id'),
  name: network.textIfAny('name') ?? '',
  projectId: network.textIfAny('project_id') ?? network.textIfAny('tenant_id') ?? '',
  adminStateUp: network.flag('admin_state_up'),
  status: network.textIfAny('status') ?? '',
  external: network.flag('router:external'),
  shared: network.flag('shared'),
  // A Neutron without the extension filters every port.
  portSecurity: network.value.port_security_enabled !== false,
  mtu: network.numberIfAny('mtu'),
});
