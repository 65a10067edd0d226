import type { Json, JsonObject } from '@windlass/foundation';
import { hostId, isoSeconds } from '../state/ids.js';
import type { CloudState, Flavor, KeyPair, Server, ServerGroup } from '../state/state.js';

/** How a server is to be shown: to whom, and by which microversion (its minor number). */
export interface Viewpoint {
  base: string;
  minor: number;
  showHost: boolean;
  /** What is being done with the server, where its status does not say so. */
  task: string | undefined;
}

const bookmark = (base: string, kind: string, id: string): JsonObject => ({
  rel: 'bookmark',
  href: `${base}/compute/${kind}/${id}`,
});

const links = (base: string, kind: string, id: string): JsonObject[] => [
  { rel: 'self', href: `${base}/compute/v2.1/${kind}/${id}` },
  bookmark(base, kind, id),
];

export const serverSummary = (base: string, server: Server): JsonObject => ({
  id: server.id,
  name: server.name,
  links: links(base, 'servers', server.id),
});

const VM_STATES: Record<Server['status'], string> = {
  BUILD: 'building',
  ACTIVE: 'active',
  SHUTOFF: 'stopped',
  REBOOT: 'active',
  HARD_REBOOT: 'active',
  REBUILD: 'active',
  ERROR: 'error',
};
const TASKS: Partial<Record<Server['status'], string>> = {
  BUILD: 'spawning',
  REBOOT: 'rebooting',
  HARD_REBOOT: 'rebooting_hard',
  REBUILD: 'rebuilding',
};
const POWER: Partial<Record<Server['status'], number>> = { BUILD: 0, SHUTOFF: 4, ERROR: 0 };

export const vmStateOf = ({ status }: Server): string => VM_STATES[status];

/** The task that its status tells of. */
export const taskOf = ({ status }: Server): string | undefined => TASKS[status];

/** A server as `GET /servers/{id}` shows it. */
export function serverView(state: CloudState, server: Server, view: Viewpoint): JsonObject {
  return {
    id: server.id,
    name: server.name,
    status: server.status,
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: server.metadata,
    hostId: server.host === null ? '' : hostId(server.projectId, server.host),
    image: server.imageId === null ? '' : { id: server.imageId, links: [bookmark(view.base, 'images', server.imageId)] },
    flavor: flavorOf(state, server, view),
    created: server.created,
    updated: server.updated,
    ...(server.fault === null ? {} : { fault: server.fault }),
    addresses: addressesView(state, server),
    accessIPv4: '',
    accessIPv6: '',
    links: links(view.base, 'servers', server.id),
    'OS-DCF:diskConfig': 'MANUAL',
    ...(server.status === 'ACTIVE' || server.status === 'BUILD' ? { progress: 0 } : {}),
    'OS-EXT-AZ:availability_zone': server.host === null ? '' : server.zone,
    config_drive: server.configDrive,
    key_name: server.keyName,
    'OS-SRV-USG:launched_at': server.launchedAt,
    'OS-SRV-USG:terminated_at': null,
    ...(server.status === 'ERROR' ? {} : { security_groups: server.portIds.map(() => ({ name: 'default' })) }),
    ...hostView(server, view),
    'OS-EXT-STS:task_state': view.task ?? taskOf(server) ?? null,
    'OS-EXT-STS:vm_state': vmStateOf(server),
    'OS-EXT-STS:power_state': POWER[server.status] ?? 1,
    'os-extended-volumes:volumes_attached': server.volumes.map((one) => ({
      id: one.volumeId,
      ...(view.minor >= 3 ? { delete_on_termination: one.deleteOnTermination } : {}),
    })),
    ...newerMembers(server, view.minor),
  };
}

/** What users see of the compute host: nothing, unless policy says otherwise. */
function hostView(server: Server, view: Viewpoint): JsonObject {
  if (!view.showHost) return {};
  return {
    'OS-EXT-SRV-ATTR:host': server.host,
    'OS-EXT-SRV-ATTR:instance_name': `instance-${server.number.toString(16).padStart(8, '0')}`,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': server.host,
  };
}

function newerMembers(server: Server, minor: number): JsonObject {
  const since: [number, string, Json][] = [
    [9, 'locked', false],
    [73, 'locked_reason', null],
    [19, 'description', null],
    [26, 'tags', server.tags],
    [63, 'trusted_image_certificates', null],
    [90, 'OS-EXT-SRV-ATTR:hostname', hostname(server.name)],
    [71, 'server_groups', server.groupId === null ? [] : [server.groupId]],
  ];
  return Object.fromEntries(since.filter(([first]) => minor >= first).map(([, name, value]) => [name, value]));
}

/** Nova's guess of a hostname from a server's name. */
export const hostname = (name: string): string =>
  name
    .replaceAll(/[ _]/g, '-')
    .replaceAll(/[^\w.-]+/g, '')
    .toLowerCase()
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .replaceAll('.', '-');

function flavorOf(state: CloudState, server: Server, view: Viewpoint): JsonObject {
  if (view.minor < 47) return { id: server.flavorId, links: [bookmark(view.base, 'flavors', server.flavorId)] };
  const flavor = state.flavors.get(server.flavorId);
  return {
    vcpus: flavor?.vcpus ?? 0,
    ram: flavor?.ram ?? 0,
    disk: flavor?.disk ?? 0,
    ephemeral: flavor?.ephemeral ?? 0,
    swap: flavor?.swap ?? 0,
    original_name: server.flavorName,
    extra_specs: flavor?.extraSpecs ?? {},
  };
}

/** Addresses by network name, floating ones behind the fixed ones. */
export function addressesView(state: CloudState, server: Server): JsonObject {
  const byNetwork: Record<string, JsonObject[]> = {};
  for (const id of server.portIds) {
    const port = state.ports.get(id);
    if (port === undefined) continue;
    const name = state.networks.get(port.networkId)?.name ?? port.networkId;
    const list = (byNetwork[name] ??= []);
    for (const ip of port.fixedIps) list.push(address(ip.ip_address, 'fixed', port.mac));
    for (const floating of state.floatingIps.values()) {
      if (floating.portId === id) list.push(address(floating.address, 'floating', port.mac));
    }
  }
  return byNetwork;
}

const address = (addr: string, type: string, mac: string): JsonObject => ({
  version: 4,
  addr,
  'OS-EXT-IPS:type': type,
  'OS-EXT-IPS-MAC:mac_addr': mac,
});

export const flavorSummary = (base: string, flavor: Flavor): JsonObject => ({
  id: flavor.id,
  name: flavor.name,
  links: links(base, 'flavors', flavor.id),
});

export const flavorView = (base: string, flavor: Flavor): JsonObject => ({
  id: flavor.id,
  name: flavor.name,
  ram: flavor.ram,
  disk: flavor.disk,
  swap: flavor.swap === 0 ? '' : flavor.swap,
  'OS-FLV-EXT-DATA:ephemeral': flavor.ephemeral,
  'OS-FLV-DISABLED:disabled': false,
  vcpus: flavor.vcpus,
  'os-flavor-access:is_public': flavor.isPublic,
  rxtx_factor: 1,
  links: links(base, 'flavors', flavor.id),
});

export const groupView = (state: CloudState, group: ServerGroup): JsonObject => ({
  id: group.id,
  name: group.name,
  policies: [group.policy],
  metadata: {},
  members: [...state.servers.values()].filter((server) => server.groupId === group.id).map((server) => server.id),
});

/** A key pair by itself. */
export const keyPairDetail = (pair: KeyPair): JsonObject => ({
  ...keyPairView(pair),
  user_id: pair.userId,
  created_at: pair.createdAt,
  deleted: false,
  deleted_at: null,
  id: 1,
  updated_at: null,
});

export const keyPairView = (pair: KeyPair): JsonObject => ({
  name: pair.name,
  public_key: pair.publicKey,
  fingerprint: pair.fingerprint,
});

/** The zones; hosts only for administrators. */
export function zonesView(hosts: readonly string[], zone: string, withHosts: boolean): JsonObject[] {
  const service = { available: true, active: true, updated_at: isoSeconds() };
  const nova: JsonObject = {
    zoneName: zone,
    zoneState: { available: true },
    hosts: withHosts ? Object.fromEntries(hosts.map((host) => [host, { 'nova-compute': service }])) : null,
  };
  if (!withHosts) return [nova];
  const internal = { 'nova-conductor': service, 'nova-scheduler': service };
  return [{ zoneName: 'internal', zoneState: { available: true }, hosts: { controller: internal } }, nova];
}
