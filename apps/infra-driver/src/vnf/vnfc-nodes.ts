import { isIPv4 } from 'node:net';
import { stackPath, type FloatingIpItem, type PortItem, type StackParts } from '@windlass/openstack';
import { PartsIndex } from './parts-index.js';
import { vnfcsOf, type Vnfc } from './vnfcs.js';
import type { VnfModel } from './vnf-model.js';

/** The addresses behind the name of a port, or of a floating IP, in the stack. */
export interface NamedAddress {
  /** Resource name: what `ssh_cp_name` and its like of a request say. */
  name: string;
  portId: string | undefined;
  macAddress: string | undefined;
  networkId: string | undefined;
  /** Fixed addresses, in Neutron's order. */
  addresses: string[];
  floatingIp: string | undefined;
}

/** One VNFC, as a management driver needs to know it. JSON as it is. */
export interface VnfcNode {
  /** vnfcResourceInfo.id */
  vnfcId: string;
  vduId: string;
  /** Group (aspect) and member, where it is in one. */
  group: string | undefined;
  member: string | undefined;
  /** `name/id` of the stack it is in. */
  stack: string;
  /** Absent where the server is missing. */
  serverId: string | undefined;
  serverName: string | undefined;
  serverStatus: string | undefined;
  /** Host's name where policy shows it; else `hostId` tells hosts apart. */
  host: string | undefined;
  hostId: string | undefined;
  zone: string | undefined;
  /** SSH host keys that its server's metadata has. */
  hostKeys: string[] | undefined;
  /** When Heat made the member that it is in. Absent where it is in none. */
  memberCreatedAt: string | undefined;
  /** When Nova made its server; Heat's time of the resource where it is missing. */
  createdAt: string;
  /** By resource name: the server's ports and the floating IPs that lead to them. */
  cps: Record<string, NamedAddress>;
  volumes: NodeVolume[];
}

export interface NodeVolume {
  name: string;
  volumeId: string | undefined;
  sizeGiB: number | undefined;
  /** As Nova named it: `/dev/vdb`. */
  device: string | undefined;
}

/** What drivers are given of a VNF's resources. */
export interface VnfNodes {
  vnfcs: VnfcNode[];
  /** Ports and floating IPs that belong to no server: a VIP, say. By resource name. */
  shared: Record<string, NamedAddress>;
}

/** The VNFCs with their addresses, in the order of vnfcsOf. Pure. */
export function vnfNodes(vnfInstanceId: string, model: VnfModel, inventory: StackParts): VnfNodes {
  const parts = new PartsIndex(inventory);
  const taken = new Set<string>();
  const nodes = vnfcsOf(vnfInstanceId, model, inventory, parts).map((vnfc) => {
    const bound = vnfc.cps.flatMap(({ port }) => (port === undefined ? [] : [port]));
    const ports = parts.portsOf(vnfc.server.physicalId, bound);
    const ips = parts.floatingIpsTo(ports);
    [...ports, ...ips].forEach((item) => taken.add(item.place.path.join('/')));
    return nodeOf(vnfc, named(parts, ports, ips));
  });
  const left = <T extends PortItem | FloatingIpItem>(items: T[]): T[] =>
    items.filter((item) => !taken.has(item.place.path.join('/')));
  return { vnfcs: nodes, shared: named(parts, left(inventory.ports), left(inventory.floatingIps)) };
}

/** The address to reach a machine at: the floating IP where there is one, else that of IPv4, wherever Neutron lists it. */
export const reachableAt = ({ floatingIp, addresses }: NamedAddress): string | undefined =>
  floatingIp ?? addresses.find((address) => isIPv4(address)) ?? addresses[0];

function named(parts: PartsIndex, ports: readonly PortItem[], ips: readonly FloatingIpItem[]): Record<string, NamedAddress> {
  const ofPorts = ports.map((port): NamedAddress => ({
    name: port.name,
    portId: port.physicalId,
    macAddress: port.macAddress,
    networkId: port.networkId,
    addresses: port.fixedIps.map(({ address }) => address),
    floatingIp: port.floatingIp?.address,
  }));
  const ofIps = ips.map((ip): NamedAddress => {
    const port = ip.portId === undefined ? undefined : parts.port(ip.portId);
    return {
      name: ip.name,
      portId: ip.portId,
      macAddress: port?.macAddress,
      networkId: port?.networkId,
      addresses: port?.fixedIps.map(({ address }) => address) ?? [],
      floatingIp: ip.address,
    };
  });
  return Object.fromEntries([...ofPorts, ...ofIps].map((address) => [address.name, address]));
}

function nodeOf({ id, vdu, server, volumes }: Vnfc, cps: Record<string, NamedAddress>): VnfcNode {
  const { member } = server.place;
  return {
    vnfcId: id,
    vduId: vdu.id,
    group: member?.group,
    member: member?.name,
    memberCreatedAt: member?.createdAt,
    stack: stackPath(server.place.stack),
    serverId: server.physicalId,
    serverName: server.serverName,
    serverStatus: server.serverStatus,
    host: server.host,
    hostId: server.hostId,
    zone: server.zone,
    hostKeys: server.hostKeys,
    createdAt: server.madeAt ?? server.createdAt,
    cps,
    volumes: volumes.map((volume) => ({
      name: volume.name,
      volumeId: volume.physicalId,
      sizeGiB: volume.sizeGiB,
      device: volume.attachments.find(({ serverId }) => serverId === server.physicalId)?.device,
    })),
  };
}
