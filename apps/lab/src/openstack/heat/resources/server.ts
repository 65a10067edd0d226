import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { present } from '../../http/json-fields.js';
import type { DiskRequest, NicRequest, ServerRequest } from '../../compute/nova.js';
import { addressesView, serverView } from '../../compute/nova-views.js';
import { computeError } from '../../http/nova-errors.js';
import { subnetView } from '../../network/neutron-views.js';
import { pythonStr } from '../../http/python-json.js';
import type { Image, Server } from '../../state/state.js';
import { walk } from '../template/function-parts.js';
import { invalidTemplate, ResourceFailure } from '../template/heat-errors.js';
import { flag, list, map, text, whole } from '../template/properties.js';
import type { Cloud, ResourceType, Work } from './resource-type.js';

/** Heat asks Nova with this microversion, so that is how a server's attributes look. */
const HEAT_MINOR = 93;
/** Nova's names are cut to this length by Heat. */
const NAME_LIMIT = 53;

const serverOf = (work: Work): Server | undefined => work.cloud.state.servers.get(work.resource.physicalId ?? '');
const textOf = (value: Json | undefined): string | undefined =>
  value === undefined || value === null ? undefined : pythonStr(value);
const entries = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const deviceSchema = {
  device_name: text(),
  volume_id: text({ constraint: 'volume' }),
  volume_size: whole(),
  snapshot_id: text(),
  image: text({ constraint: 'image' }),
  image_id: text({ constraint: 'image' }),
  boot_index: whole(),
  delete_on_termination: flag(),
  device_type: text({ allowed: ['cdrom', 'disk'] }),
  disk_bus: text(),
  swap_size: whole(),
  ephemeral_size: whole(),
  ephemeral_format: text(),
};

export const serverType: ResourceType = {
  name: 'OS::Nova::Server',
  properties: {
    name: text({ update: true }),
    flavor: text({ required: true, update: true, constraint: 'flavor' }),
    image: text({ update: true, constraint: 'image' }),
    flavor_update_policy: text({ update: true, allowed: ['RESIZE', 'REPLACE'] }),
    image_update_policy: text({ update: true, allowed: ['REBUILD', 'REPLACE', 'REBUILD_PRESERVE_EPHEMERAL'] }),
    block_device_mapping: list(map(deviceSchema)),
    block_device_mapping_v2: list(map(deviceSchema)),
    key_name: text({ constraint: 'keypair' }),
    availability_zone: text(),
    security_groups: list(text(), { update: true }),
    networks: list(
      map({
        network: text({ constraint: 'network' }),
        uuid: text({ constraint: 'network' }),
        port: text({ constraint: 'port' }),
        subnet: text({ constraint: 'subnet' }),
        fixed_ip: text(),
        allocate_network: text(),
        floating_ip: text(),
        tag: text(),
        port_extra_properties: map(),
      }),
      { update: true },
    ),
    scheduler_hints: map(),
    metadata: map(undefined, { update: true }),
    user_data_format: text({ allowed: ['HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG'] }),
    user_data: text(),
    user_data_update_policy: text({ update: true, allowed: ['REPLACE', 'IGNORE'] }),
    software_config_transport: text({ update: true }),
    config_drive: flag(),
    diskConfig: text(),
    reservation_id: text(),
    personality: map(),
    admin_pass: text({ update: true }),
    tags: list(text(), { update: true }),
    deployment_swift_data: map(undefined, { update: true }),
  },
  attributes: [
    'name',
    'addresses',
    'networks',
    'first_address',
    'instance_name',
    'accessIPv4',
    'accessIPv6',
    'console_urls',
    'os_collect_config',
    'tags',
    'show',
  ],
  validate(name, properties, { cloud, stack }) {
    checkDisks(name, properties);
    checkImageAndFlavor(cloud, stack.projectId, properties);
  },
  create: boot,
  update: change,
  async remove(work) {
    const server = serverOf(work);
    if (server !== undefined) await work.cloud.nova.delete(server);
  },
  prepareReplace: takePortsOut,
  needsReplaceFailed: (work) => {
    const server = serverOf(work);
    return server === undefined || server.status === 'ERROR';
  },
  attribute,
  show: showOf,
};

/** All attributes; without a server they are null, and empty where the server was taken away behind Heat's back. */
function showOf(work: Work): JsonObject {
  const server = serverOf(work);
  if (server !== undefined) return { ...shown(work, server), os_collect_config: {} };
  const names = serverType.attributes.filter((name) => name !== 'show');
  if (work.resource.physicalId === null) return Object.fromEntries(names.map((name) => [name, null]));
  const name = textOf(work.properties.name) ?? work.physicalName(NAME_LIMIT);
  return { ...Object.fromEntries(names.map((one) => [one, ''])), name, os_collect_config: {} };
}

const shown = (work: Work, server: Server): JsonObject =>
  serverView(work.cloud.state, server, {
    base: work.cloud.base(),
    minor: HEAT_MINOR,
    showHost: false,
    task: work.cloud.nova.taskOf(server.id),
  });

async function boot(work: Work): Promise<void> {
  const { nova } = work.cloud;
  work.cloud.checkQuota('nova', 'instances');
  const server = nova.boot(work.stack.projectId, work.stack.userId, requestOf(work));
  work.resource.physicalId = server.id;
  await nova.built(server.id);
  if (server.status !== 'ERROR') return;
  const { message = 'Unknown', code = 500 } = server.fault ?? {};
  throw new ResourceFailure(
    'ResourceInError',
    ['resources', work.resource.name],
    `Went to status ERROR due to "Message: ${message}, Code: ${code}"`,
  );
}

function requestOf(work: Work): ServerRequest {
  const { properties, cloud } = work;
  const flavor = cloud.nova.flavor(textOf(properties.flavor) ?? '');
  if (flavor === undefined) throw computeError(404, `Flavor ${pythonStr(properties.flavor)} could not be found.`);
  const hints = isJsonObject(properties.scheduler_hints) ? properties.scheduler_hints : {};
  return {
    name: textOf(properties.name) ?? work.physicalName(NAME_LIMIT),
    flavor,
    nics: nicsOf(work, properties),
    disks: disksOf(properties),
    ...present({
      image: imageOf(work, properties.image),
      keyName: textOf(properties.key_name),
      userData: textOf(properties.user_data),
      groupId: textOf(hints.group),
      // An empty one is none: Heat's Nova client does not send it.
      zone: textOf(properties.availability_zone) || undefined,
      configDrive: properties.config_drive === true ? true : undefined,
      metadata: metadataOf(properties.metadata),
      tags: Array.isArray(properties.tags) ? properties.tags.map((tag) => pythonStr(tag)) : undefined,
    }),
  };
}

function imageOf(work: Work, given: Json | undefined): Image | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  return work.cloud.glance.get(work.stack.projectId, pythonStr(given));
}

const metadataOf = (given: Json | undefined): Record<string, string> | undefined =>
  isJsonObject(given) ? Object.fromEntries(Object.entries(given).map(([key, value]) => [key, pythonStr(value)])) : undefined;

function nicsOf(work: Work, properties: JsonObject): NicRequest[] | undefined {
  if (properties.networks === undefined) return undefined;
  return entries(properties.networks).map((entry): NicRequest => {
    const port = textOf(entry.port);
    if (port !== undefined) return { portId: port };
    const subnet = work.cloud.state.subnets.get(textOf(entry.subnet) ?? '');
    const networkId = textOf(entry.network) ?? textOf(entry.uuid) ?? subnet?.networkId;
    if (networkId === undefined) throw computeError(400, 'One of the properties "port", "network", "subnet" must be set.');
    return { networkId, ...present({ fixedAddress: textOf(entry.fixed_ip) }) };
  });
}

/** Disks that may be booted from: Nova takes an entry without an index for one. */
const bootable = (properties: JsonObject): JsonObject[] =>
  entries(properties.block_device_mapping_v2).filter((entry) => entry.boot_index === undefined || Number(entry.boot_index) === 0);

function checkDisks(name: string, properties: JsonObject): void {
  const sources = bootable(properties).length + (properties.image === undefined ? 0 : 1);
  if (bootable(properties).length > 1 && sources > 1) throw invalidTemplate(`Multiple bootable sources for instance ${name}.`);
}

/** Heat compares them before anything is made, and has no mercy with a flavor whose disk is 0. What is made by the stack itself is not known yet. */
function checkImageAndFlavor({ glance, nova }: Cloud, projectId: string, { image: named, flavor: wanted }: JsonObject): void {
  if (typeof named !== 'string' || typeof wanted !== 'string') return;
  const [image, flavor] = [glance.named(projectId, named)[0], nova.flavor(wanted)];
  if (image === undefined || flavor === undefined) return;
  if (flavor.ram < image.minRam)
    throw invalidTemplate(`Image ${named} requires ${image.minRam} minimum ram. Flavor ${wanted} has only ${flavor.ram}.`);
  if (flavor.disk < image.minDisk)
    throw invalidTemplate(
      `Image ${named} requires ${image.minDisk} GB minimum disk space. Flavor ${wanted} has only ${flavor.disk} GB.`,
    );
}

function disksOf(properties: JsonObject): DiskRequest[] {
  const newer = entries(properties.block_device_mapping_v2).filter((entry) => entry.volume_id !== undefined);
  const boots = bootable(properties);
  const disks = newer.map((entry): DiskRequest => ({
    volumeId: textOf(entry.volume_id) ?? '',
    bootIndex: properties.image === undefined && entry === boots[0] ? 0 : -1,
    ...present({
      device: textOf(entry.device_name),
      deleteOnTermination: entry.delete_on_termination === true ? true : undefined,
    }),
  }));
  const older = entries(properties.block_device_mapping).map((entry): DiskRequest => {
    const device = textOf(entry.device_name) ?? '';
    const root = properties.image === undefined && /(^|\/)vda$/.test(device);
    return { volumeId: textOf(entry.volume_id) ?? '', bootIndex: root ? 0 : -1, device };
  });
  return [...disks, ...older];
}

/** Ports that stay with the stack go to the new server, so the old one gives them up first. */
async function takePortsOut(work: Work): Promise<void> {
  const server = serverOf(work);
  if (server === undefined || work.resource.data.portsTaken === true) return;
  const stay = server.portIds.filter((portId) => server.ownPortIds.includes(portId));
  await work.cloud.nova.unplugForReplacement(server, stay);
  work.resource.data.portsTaken = true;
}

async function change(work: Work, changed: string[]): Promise<void> {
  const { nova } = work.cloud;
  const server = serverOf(work);
  if (server === undefined) throw computeError(404, `Instance ${work.resource.physicalId ?? ''} could not be found.`);
  const { properties } = work;
  if (changed.includes('name')) server.name = textOf(properties.name) ?? server.name;
  if (changed.includes('metadata')) server.metadata = metadataOf(properties.metadata) ?? {};
  if (changed.includes('tags')) server.tags = Array.isArray(properties.tags) ? properties.tags.map((tag) => pythonStr(tag)) : [];
  if (changed.includes('flavor')) {
    const flavor = nova.flavor(textOf(properties.flavor) ?? '');
    server.flavorId = flavor?.id ?? server.flavorId;
    server.flavorName = flavor?.name ?? server.flavorName;
  }
  if (changed.includes('image')) {
    const image = imageOf(work, properties.image);
    if (image !== undefined) await nova.rebuild(server, image);
  }
  if (changed.includes('networks')) await nova.replug(server, nicsOf(work, properties) ?? []);
}

function attribute(work: Work, name: string, path: Json[]): Json {
  const server = serverOf(work);
  if (server === undefined) return null;
  return walk(valueOf(work, server, name), path) ?? null;
}

function valueOf(work: Work, server: Server, name: string): Json {
  switch (name) {
    case 'show':
      return { ...shown(work, server), os_collect_config: {} };
    case 'name':
      return server.name;
    case 'tags':
      return server.tags;
    case 'addresses':
      return extendedAddresses(work, server);
    case 'networks':
      return networksAttribute(work, server);
    case 'first_address':
      return firstAddress(work, server);
    case 'accessIPv4':
    case 'accessIPv6':
      return '';
    default:
      return name === 'os_collect_config' ? {} : null;
  }
}

/** `addresses` with the port, its subnets and its network in each entry, by network name and by network id. */
function extendedAddresses(work: Work, server: Server): JsonObject {
  const { state } = work.cloud;
  const result: Record<string, Json> = {};
  for (const [name, list] of Object.entries(addressesView(state, server))) {
    const ports = server.portIds.flatMap((portId) => state.ports.get(portId) ?? []);
    const extended = entries(list).map((entry) => {
      const port = ports.find((one) => one.mac === entry['OS-EXT-IPS-MAC:mac_addr']);
      const subnets = (port?.fixedIps ?? []).flatMap((ip) => state.subnets.get(ip.subnet_id) ?? []).map(subnetView);
      return { ...entry, port: port?.id ?? null, subnets };
    });
    result[name] = extended;
    const network = ports.find((port) => state.networks.get(port.networkId)?.name === name)?.networkId;
    if (network !== undefined) result[network] = extended;
  }
  return result;
}

function networksAttribute(work: Work, server: Server): JsonObject {
  const { state } = work.cloud;
  const result: Record<string, Json[]> = {};
  for (const portId of server.portIds) {
    const port = state.ports.get(portId);
    if (port === undefined) continue;
    const addresses = port.fixedIps.map((ip) => ip.ip_address);
    for (const key of [state.networks.get(port.networkId)?.name ?? '', port.networkId]) (result[key] ??= []).push(...addresses);
  }
  return result;
}

function firstAddress(work: Work, server: Server): Json {
  const [first] = Object.values(addressesView(work.cloud.state, server));
  const entry = Array.isArray(first) ? first[0] : undefined;
  return isJsonObject(entry) ? (entry.addr ?? '') : '';
}
