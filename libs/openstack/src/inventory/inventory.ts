import type { Volume } from '../cinder/cinder-api.js';
import type { StackRef } from '../heat/heat-types.js';
import type { StackStatus } from '../heat/stack-status.js';
import type { FixedIp, FloatingIp, Port } from '../neutron/neutron-api.js';
import type { Server } from '../nova/nova-api.js';
import { type Group, type Place, type PlacedResource, type StackLayout } from './stack-layout.js';

/** What every entry of an inventory has. */
export interface InventoryItem {
  place: Place;
  /** Resource name in its template. */
  name: string;
  /** Id at the VIM. Absent where the resource is not made, or its replacement failed. */
  physicalId: string | undefined;
  status: StackStatus;
  createdAt: string;
}

export interface ServerItem extends InventoryItem {
  serverName: string | undefined;
  /** When Nova made it; `createdAt` is Heat's, which enters a stack's resources before it makes any. Absent where Nova does not have the server. */
  madeAt: string | undefined;
  /** Nova's: `ACTIVE`, `SHUTOFF`, ...; absent where Nova does not have the server. */
  serverStatus: string | undefined;
  /** What Nova is doing with it; absent where it rests. */
  serverTask: string | undefined;
  hostId: string | undefined;
  host: string | undefined;
  zone: string | undefined;
  imageId: string | undefined;
  flavorId: string | undefined;
  volumeIds: string[];
  /** SSH host keys that its metadata has. */
  hostKeys: string[] | undefined;
}

export interface PortItem extends InventoryItem {
  networkId: string | undefined;
  macAddress: string | undefined;
  fixedIps: FixedIp[];
  /** Server it is plugged into. */
  serverId: string | undefined;
  floatingIp: FloatingIp | undefined;
  allowedAddresses: string[];
}

export interface VolumeItem extends InventoryItem {
  sizeGiB: number | undefined;
  attachments: { serverId: string; device: string | undefined }[];
}

export type NetworkItem = InventoryItem;

export interface FloatingIpItem extends InventoryItem {
  address: string | undefined;
  portId: string | undefined;
}

/** What a stack consists of: machines, and what is plugged into them. */
export interface StackParts {
  stack: StackRef;
  groups: Group[];
  servers: ServerItem[];
  ports: PortItem[];
  volumes: VolumeItem[];
  networks: NetworkItem[];
  floatingIps: FloatingIpItem[];
}

/** The same, and how the stack stands. */
export interface Inventory extends StackParts {
  status: StackStatus;
}

/** What the other services say of the things that the stack lists, by their ids. */
export interface ResourceFacts {
  servers: readonly Server[];
  ports: readonly Port[];
  volumes: readonly Volume[];
  floatingIps: readonly FloatingIp[];
}

export const SERVER = 'OS::Nova::Server';
export const PORT = 'OS::Neutron::Port';
export const VOLUME = 'OS::Cinder::Volume';
export const FLOATING_IP = 'OS::Neutron::FloatingIP';
export const NETWORK_TYPES: readonly string[] = ['OS::Neutron::Net', 'OS::Neutron::ProviderNet'];
export const NETWORK = 'OS::Neutron::Net';

/** Joins where things stand with what they are. Pure: the same input gives the same parts. */
export function assembleParts(layout: StackLayout, facts: ResourceFacts): StackParts {
  const servers = byId(facts.servers);
  const ports = byId(facts.ports);
  const volumes = byId(facts.volumes);
  const floatingIps = byId(facts.floatingIps);
  // Of several that lead to one port the first counts.
  const toPorts = new Map([...facts.floatingIps].reverse().map((ip) => [ip.portId, ip]));
  const of = (...types: string[]) => layout.leaves.filter(({ resource }) => types.includes(resource.type));
  return {
    stack: layout.stack,
    groups: layout.groups,
    servers: of(SERVER).map((leaf) => serverItem(leaf, servers.get(leaf.resource.physicalId ?? ''))),
    ports: of(PORT).map((leaf) => portItem(leaf, ports.get(leaf.resource.physicalId ?? ''), toPorts)),
    volumes: of(VOLUME).map((leaf) => volumeItem(leaf, volumes.get(leaf.resource.physicalId ?? ''))),
    networks: of(...NETWORK_TYPES).map(itemOf),
    floatingIps: of(FLOATING_IP).map((leaf) => {
      const ip = floatingIps.get(leaf.resource.physicalId ?? '');
      return { ...itemOf(leaf), address: ip?.address, portId: ip?.portId };
    }),
  };
}

const byId = <T extends { id: string }>(things: readonly T[]) => new Map(things.map((thing) => [thing.id, thing]));

function itemOf({ place, resource }: PlacedResource): InventoryItem {
  const { name, physicalId, status, createdAt } = resource;
  return { place, name, physicalId, status, createdAt };
}

function serverItem(leaf: PlacedResource, server: Server | undefined): ServerItem {
  return {
    ...itemOf(leaf),
    serverName: server?.name,
    madeAt: server?.createdAt,
    serverStatus: server?.status,
    serverTask: server?.task,
    hostId: server?.hostId,
    host: server?.host,
    zone: server?.availabilityZone,
    imageId: server?.imageId,
    flavorId: server?.flavorId,
    volumeIds: server?.volumeIds ?? [],
    hostKeys: server?.hostKeys,
  };
}

function portItem(
  leaf: PlacedResource,
  port: Port | undefined,
  floatingIps: ReadonlyMap<string | undefined, FloatingIp>,
): PortItem {
  return {
    ...itemOf(leaf),
    networkId: port?.networkId,
    macAddress: port?.macAddress,
    fixedIps: port?.fixedIps ?? [],
    serverId: port?.deviceId,
    floatingIp: port === undefined ? undefined : floatingIps.get(port.id),
    allowedAddresses: port?.allowedAddresses ?? [],
  };
}

function volumeItem(leaf: PlacedResource, volume: Volume | undefined): VolumeItem {
  return { ...itemOf(leaf), sizeGiB: volume?.sizeGiB, attachments: volume?.attachments ?? [] };
}
