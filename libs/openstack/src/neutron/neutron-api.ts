import type { AnswerReader } from '../http/answer-reader.js';
import { urlPath, type Query } from '../http/url-path.js';
import type { OpenStackSession } from '../session/openstack-session.js';

export interface FixedIp {
  subnetId: string;
  address: string;
}

export interface Port {
  id: string;
  name: string;
  networkId: string;
  macAddress: string;
  fixedIps: FixedIp[];
  /** Id of the server it is plugged into. */
  deviceId: string | undefined;
  status: string;
  /** Addresses besides its own that may be used behind it, such as a VIP. */
  allowedAddresses: string[];
}

export interface Network {
  id: string;
  name: string;
  external: boolean;
  subnetIds: string[];
}

export interface FloatingIp {
  id: string;
  address: string;
  portId: string | undefined;
  fixedAddress: string | undefined;
}

/** Ids in one request: 40 of them are some 1,600 bytes of URL. */
const IDS_A_REQUEST = 40;

/** The reading half of Neutron. Throws what OpenStackSession.request throws. */
export class NeutronApi {
  constructor(private readonly session: OpenStackSession) {}

  /** The ports with these ids; those that are not there are left out. */
  async portsById(ids: readonly string[]): Promise<Port[]> {
    return (await this.#byIds('/ports', 'ports', 'id', ids)).map(readPort);
  }

  /** The ports plugged into a server. */
  async portsOfServer(serverId: string): Promise<Port[]> {
    return (await this.#list('/ports', 'ports', { device_id: serverId })).map(readPort);
  }

  /** Undefined when there is no such port. */
  async getPort(id: string): Promise<Port | undefined> {
    const answer = await this.session.request('network', { method: 'GET', path: urlPath`/ports/${id}`, expect: [200, 404] });
    return answer.status === 404 ? undefined : readPort(answer.body().object('port'));
  }

  /** The network of that id or, failing that, of that name; undefined when there is none. */
  async findNetwork(nameOrId: string): Promise<Network | undefined> {
    const byId = await this.#list('/networks', 'networks', { id: nameOrId });
    const found = byId[0] ?? (await this.#list('/networks', 'networks', { name: nameOrId }))[0];
    return found === undefined ? undefined : readNetwork(found);
  }

  /** The floating IPs with these ids; those that are not there are left out. */
  async floatingIpsById(ids: readonly string[]): Promise<FloatingIp[]> {
    return (await this.#byIds('/floatingips', 'floatingips', 'id', ids)).map(readFloatingIp);
  }

  /** The floating IPs that lead to these ports. */
  async floatingIpsOfPorts(portIds: readonly string[]): Promise<FloatingIp[]> {
    return (await this.#byIds('/floatingips', 'floatingips', 'port_id', portIds)).map(readFloatingIp);
  }

  async #byIds(path: string, member: string, name: string, ids: readonly string[]): Promise<AnswerReader[]> {
    const found: AnswerReader[] = [];
    for (let from = 0; from < ids.length; from += IDS_A_REQUEST) {
      found.push(...(await this.#list(path, member, { [name]: ids.slice(from, from + IDS_A_REQUEST) })));
    }
    return found;
  }

  async #list(path: string, member: string, query: Query): Promise<AnswerReader[]> {
    const answer = await this.session.request('network', { method: 'GET', path, query, expect: [200] });
    return answer.body().objects(member);
  }
}

function readPort(port: AnswerReader): Port {
  return {
    id: port.text('id'),
    name: port.textIfAny('name') ?? '',
    networkId: port.text('network_id'),
    macAddress: port.text('mac_address'),
    fixedIps: port.objects('fixed_ips').map((ip) => ({ subnetId: ip.text('subnet_id'), address: ip.text('ip_address') })),
    deviceId: port.textIfAny('device_id'),
    status: port.textIfAny('status') ?? '',
    allowedAddresses: port.objects('allowed_address_pairs').map((pair) => pair.text('ip_address')),
  };
}

function readNetwork(network: AnswerReader): Network {
  return {
    id: network.text('id'),
    name: network.textIfAny('name') ?? '',
    external: network.flag('router:external'),
    subnetIds: network.texts('subnets'),
  };
}

function readFloatingIp(ip: AnswerReader): FloatingIp {
  return {
    id: ip.text('id'),
    address: ip.text('floating_ip_address'),
    portId: ip.textIfAny('port_id'),
    fixedAddress: ip.textIfAny('fixed_ip_address'),
  };
}
