import type { JsonObject } from '@windlass/foundation';
import { isoSeconds, macAddress, uuid } from '../state/ids.js';
import type { AddressPair, CloudState, FixedIp, Network, Port, SecurityGroup, Subnet } from '../state/state.js';
import { formatIpv4, overlap, parseCidr, parseIpv4, within } from './addresses.js';
import { badInput, badRequest, inUse, neutronError, notFound } from './neutron-errors.js';

export interface NetworkRequest {
  name?: string;
  projectId: string;
  shared?: boolean;
  external?: boolean;
  adminStateUp?: boolean;
  portSecurity?: boolean;
  tags?: string[];
}

export interface SubnetRequest {
  name?: string;
  projectId: string;
  networkId: string;
  cidr: string;
  /** Absent: the first address; null: none. */
  gatewayIp?: string | null;
  pools?: { start: string; end: string }[];
  enableDhcp?: boolean;
  dnsNameservers?: string[];
}

export interface PortRequest {
  name?: string;
  projectId: string;
  networkId: string;
  mac?: string;
  fixedIps?: { subnetId?: string; address?: string }[];
  addressPairs?: { ip_address: string; mac_address?: string }[];
  securityGroups?: string[];
  adminStateUp?: boolean;
  portSecurity?: boolean;
  deviceId?: string;
  deviceOwner?: string;
  vnicType?: string;
  tags?: string[];
  description?: string;
}

/** Networks, subnets, ports and security groups. */
export class Neutron {
  constructor(private readonly state: CloudState) {}

  /** True where a project sees the network: its own, a shared or an external one. */
  sees = (projectId: string, network: Network): boolean => network.projectId === projectId || network.shared || network.external;

  networksOf = (projectId: string): Network[] => [...this.state.networks.values()].filter((one) => this.sees(projectId, one));

  /** A network by id or by the name that only one of the project's networks has. */
  findNetwork(projectId: string, nameOrId: string): Network | undefined {
    const seen = this.networksOf(projectId);
    const named = seen.filter((one) => one.name === nameOrId);
    return seen.find((one) => one.id === nameOrId) ?? (named.length === 1 ? named[0] : undefined);
  }

  network(projectId: string, id: string): Network {
    const network = this.state.networks.get(id);
    if (network === undefined || !this.sees(projectId, network)) throw notFound('Network', id);
    return network;
  }

  subnetsOf = (networkId: string): Subnet[] => [...this.state.subnets.values()].filter((one) => one.networkId === networkId);

  portsOn = (networkId: string): Port[] => [...this.state.ports.values()].filter((one) => one.networkId === networkId);

  createNetwork(requested: NetworkRequest, id = uuid()): Network {
    const now = isoSeconds();
    const network: Network = {
      id,
      name: requested.name ?? '',
      projectId: requested.projectId,
      shared: requested.shared ?? false,
      external: requested.external ?? false,
      adminStateUp: requested.adminStateUp ?? true,
      portSecurity: requested.portSecurity ?? true,
      description: '',
      tags: requested.tags ?? [],
      createdAt: now,
      updatedAt: now,
      revision: 1,
    };
    this.state.networks.set(network.id, network);
    return network;
  }

  deleteNetwork(projectId: string, id: string): void {
    const network = this.owned('Network', this.state.networks, projectId, id);
    const ports = this.portsOn(network.id);
    if (ports.length > 0) {
      const ids = ports.map((port) => port.id).join(', ');
      throw inUse(
        'NetworkInUse',
        `Unable to complete operation on network ${id}. There are one or more ports still in use on the network, id for these ports is: ${ids}.`,
      );
    }
    for (const subnet of this.subnetsOf(id)) this.state.subnets.delete(subnet.id);
    this.state.networks.delete(id);
  }

  createSubnet(requested: SubnetRequest, id = uuid()): Subnet {
    const network = this.network(requested.projectId, requested.networkId);
    const cidr = parseCidr(requested.cidr);
    if (cidr === undefined) throw badInput(`${requested.cidr} is not in a CIDR format`);
    const clash = this.subnetsOf(network.id).some((other) => {
      const range = parseCidr(other.cidr);
      return range !== undefined && overlap(range, cidr);
    });
    if (clash) {
      throw badInput(`Requested subnet with cidr: ${requested.cidr} for network: ${network.id} overlaps with another subnet`);
    }
    const gatewayIp = requested.gatewayIp === undefined ? formatIpv4(cidr.first + 1) : requested.gatewayIp;
    const now = isoSeconds();
    const subnet: Subnet = {
      id,
      name: requested.name ?? '',
      networkId: network.id,
      projectId: requested.projectId,
      cidr: `${formatIpv4(cidr.first)}/${cidr.prefix}`,
      gatewayIp,
      pools: requested.pools ?? poolsWithout(cidr.first + 1, cidr.last - 1, gatewayIp),
      enableDhcp: requested.enableDhcp ?? true,
      dnsNameservers: requested.dnsNameservers ?? [],
      hostRoutes: [],
      description: '',
      tags: [],
      createdAt: now,
      updatedAt: now,
      lastGiven: null,
    };
    this.state.subnets.set(subnet.id, subnet);
    network.revision += 1;
    return subnet;
  }

  subnet(projectId: string, id: string): Subnet {
    return this.owned('Subnet', this.state.subnets, projectId, id);
  }

  deleteSubnet(projectId: string, id: string): void {
    const subnet = this.owned('Subnet', this.state.subnets, projectId, id);
    const ports = this.portsOn(subnet.networkId).filter((port) => port.fixedIps.some((ip) => ip.subnet_id === id));
    if (ports.length > 0) {
      throw inUse(
        'SubnetInUse',
        `Unable to complete operation on subnet ${id}: One or more ports have an IP allocation from this subnet.`,
      );
    }
    this.state.subnets.delete(id);
  }

  port(projectId: string, id: string): Port {
    return this.owned('Port', this.state.ports, projectId, id);
  }

  createPort(requested: PortRequest): Port {
    const network = this.network(requested.projectId, requested.networkId);
    const now = isoSeconds();
    const mac = requested.mac ?? macAddress();
    const port: Port = {
      id: uuid(),
      name: requested.name ?? '',
      networkId: network.id,
      projectId: requested.projectId,
      mac,
      adminStateUp: requested.adminStateUp ?? true,
      deviceId: requested.deviceId ?? '',
      deviceOwner: requested.deviceOwner ?? '',
      fixedIps: this.allocate(network, requested.fixedIps),
      addressPairs: pairs(requested.addressPairs ?? [], mac),
      securityGroups: requested.securityGroups ?? [this.defaultSecurityGroup(requested.projectId).id],
      portSecurity: requested.portSecurity ?? network.portSecurity,
      vnicType: requested.vnicType ?? 'normal',
      host: '',
      description: requested.description ?? '',
      tags: requested.tags ?? [],
      createdAt: now,
      updatedAt: now,
      revision: 1,
    };
    this.state.ports.set(port.id, port);
    return port;
  }

  /** Changes what `requested` names. New fixed addresses replace the old ones. */
  updatePort(port: Port, requested: Partial<Omit<PortRequest, 'projectId' | 'networkId'>>): Port {
    if (requested.fixedIps !== undefined) {
      const network = this.network(port.projectId, port.networkId);
      const kept = port.fixedIps;
      port.fixedIps = [];
      try {
        port.fixedIps = this.allocate(network, requested.fixedIps);
      } catch (error) {
        port.fixedIps = kept;
        throw error;
      }
    }
    if (requested.addressPairs !== undefined) port.addressPairs = pairs(requested.addressPairs, port.mac);
    port.name = requested.name ?? port.name;
    port.securityGroups = requested.securityGroups ?? port.securityGroups;
    port.adminStateUp = requested.adminStateUp ?? port.adminStateUp;
    port.portSecurity = requested.portSecurity ?? port.portSecurity;
    port.deviceId = requested.deviceId ?? port.deviceId;
    port.deviceOwner = requested.deviceOwner ?? port.deviceOwner;
    port.description = requested.description ?? port.description;
    port.tags = requested.tags ?? port.tags;
    this.touched(port);
    return port;
  }

  /** Plugs a port into a server, as Nova does. */
  bind(port: Port, serverId: string, host: string, zone: string): void {
    port.deviceId = serverId;
    port.deviceOwner = `compute:${zone}`;
    port.host = host;
    this.touched(port);
  }

  unbind(portId: string, serverId: string): void {
    const port = this.state.ports.get(portId);
    if (port?.deviceId !== serverId) return;
    port.deviceId = '';
    port.deviceOwner = '';
    port.host = '';
    this.touched(port);
  }

  deletePort(projectId: string, id: string): void {
    this.port(projectId, id);
    this.state.ports.delete(id);
    for (const floating of this.state.floatingIps.values()) {
      if (floating.portId !== id) continue;
      floating.portId = null;
      floating.fixedAddress = null;
    }
  }

  defaultSecurityGroup(projectId: string): SecurityGroup {
    const existing = [...this.state.securityGroups.values()].find(
      (group) => group.projectId === projectId && group.name === 'default',
    );
    if (existing !== undefined) return existing;
    const group = this.createSecurityGroup(projectId, 'default', 'Default security group');
    // Members of it let each other in, and nobody else.
    for (const ethertype of ['IPv4', 'IPv6']) group.rules.push({ direction: 'ingress', ethertype, remote_group_id: group.id });
    return group;
  }

  createSecurityGroup(projectId: string, name: string, description: string, rules: JsonObject[] = []): SecurityGroup {
    const now = isoSeconds();
    const id = uuid();
    const group: SecurityGroup = { id, name, description, projectId, rules: [], tags: [], createdAt: now, updatedAt: now };
    group.rules = [{ direction: 'egress', ethertype: 'IPv4' }, { direction: 'egress', ethertype: 'IPv6' }, ...rules];
    this.state.securityGroups.set(id, group);
    return group;
  }

  securityGroup(projectId: string, id: string): SecurityGroup {
    return this.owned('SecurityGroup', this.state.securityGroups, projectId, id);
  }

  deleteSecurityGroup(projectId: string, id: string): void {
    this.securityGroup(projectId, id);
    if ([...this.state.ports.values()].some((port) => port.securityGroups.includes(id))) {
      throw inUse('SecurityGroupInUse', `Security Group ${id} in use.`);
    }
    this.state.securityGroups.delete(id);
  }

  /** A free address of the network's subnets, or those asked for. */
  allocate(network: Network, allRequested: { subnetId?: string; address?: string }[] | undefined): FixedIp[] {
    const subnets = this.subnetsOf(network.id);
    if (allRequested === undefined) {
      const first = subnets[0];
      return first === undefined ? [] : [this.firstFree(network, first, [])];
    }
    const given: FixedIp[] = [];
    for (const requested of allRequested) given.push(this.allocateOne(network, subnets, requested, given));
    return given;
  }

  private allocateOne(
    network: Network,
    subnets: Subnet[],
    requested: { subnetId?: string; address?: string },
    given: FixedIp[],
  ): FixedIp {
    const candidates = requested.subnetId === undefined ? subnets : subnets.filter((one) => one.id === requested.subnetId);
    if (candidates.length === 0 && requested.subnetId !== undefined) {
      throw badInput(
        `Failed to create port on network ${network.id}, because fixed_ips included invalid subnet ${requested.subnetId}`,
      );
    }
    if (requested.address === undefined) {
      const first = candidates[0];
      if (first === undefined) throw exhausted(network);
      return this.firstFree(network, first, given);
    }
    const number = parseIpv4(requested.address);
    if (number === undefined)
      throw badRequest(`Invalid input for fixed_ips. Reason: '${requested.address}' is not a valid IP address.`);
    const subnet = candidates.find((one) => {
      const cidr = parseCidr(one.cidr);
      return cidr !== undefined && within(cidr, number) && number !== cidr.first && number !== cidr.last;
    });
    if (subnet === undefined) {
      throw neutronError(
        400,
        'InvalidIpForNetwork',
        `IP address ${requested.address} is not a valid IP for any of the subnets on the specified network.`,
      );
    }
    if (this.taken(network).has(requested.address) || given.some((one) => one.ip_address === requested.address)) {
      throw inUse('IpAddressAlreadyAllocated', `IP address ${requested.address} already allocated in subnet ${subnet.id}`);
    }
    return { subnet_id: subnet.id, ip_address: requested.address };
  }

  private firstFree(network: Network, subnet: Subnet, given: FixedIp[]): FixedIp {
    const taken = this.taken(network);
    for (const one of given) taken.add(one.ip_address);
    const all = subnet.pools.flatMap((pool) => range(parseIpv4(pool.start) ?? 0, parseIpv4(pool.end) ?? -1));
    const behind = subnet.lastGiven === null ? 0 : all.indexOf(parseIpv4(subnet.lastGiven) ?? 0) + 1;
    const free = [...all.slice(behind), ...all.slice(0, behind)].map(formatIpv4).find((address) => !taken.has(address));
    if (free === undefined) throw exhausted(network);
    subnet.lastGiven = free;
    return { subnet_id: subnet.id, ip_address: free };
  }

  private taken(network: Network): Set<string> {
    const ports = this.portsOn(network.id).flatMap((port) => port.fixedIps.map((ip) => ip.ip_address));
    const floating = [...this.state.floatingIps.values()].filter((one) => one.networkId === network.id);
    return new Set([...ports, ...floating.map((one) => one.address)]);
  }

  private touched(port: Port): void {
    port.updatedAt = isoSeconds();
    port.revision += 1;
  }

  private owned<T extends { projectId: string }>(kind: string, all: Map<string, T>, projectId: string, id: string): T {
    const found = all.get(id);
    if (found?.projectId !== projectId) throw notFound(kind, id);
    return found;
  }
}

const exhausted = (network: Network) =>
  neutronError(409, 'IpAddressGenerationFailure', `No more IP addresses available on network ${network.id}.`);

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

const pairs = (allRequested: { ip_address: string; mac_address?: string }[], mac: string): AddressPair[] =>
  allRequested.map((requested) => ({ mac_address: requested.mac_address ?? mac, ip_address: requested.ip_address }));

/** What lies between first and last, without the gateway. */
function poolsWithout(first: number, last: number, gatewayIp: string | null): { start: string; end: string }[] {
  const gateway = gatewayIp === null ? undefined : parseIpv4(gatewayIp);
  if (gateway === undefined || gateway < first || gateway > last) return [{ start: formatIpv4(first), end: formatIpv4(last) }];
  return [
    { first, last: gateway - 1 },
    { first: gateway + 1, last },
  ]
    .filter((part) => part.first <= part.last)
    .map((part) => ({ start: formatIpv4(part.first), end: formatIpv4(part.last) }));
}
