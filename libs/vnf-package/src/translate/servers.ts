import { wholeGibibytes, type Json } from '@windlass/foundation';
import { bootText } from './boot-data.js';
import type { Context } from './context.js';
import { groupName } from './group-name.js';
import { asked, hasFloatingIp, portProperties, type Hand, type Shared } from './ports.js';
import { REFUSED } from './table.js';
import { Template } from './template.js';
import { instancesOf } from '../model/scaling.js';
import type { ConnectionPoint, Storage, Vdu } from '../model/model.js';

/** A VDU's nested template, by the name under which the top one refers to it. */
export interface NestedTemplate {
  name: string;
  text: string;
}

/** Makes a VDU's template, and puts it into the top one: in a group where another number than one may be wanted of it. */
export function addVdu(context: Context, top: Template, shared: Shared, vdu: Vdu): NestedTemplate {
  const { flavour } = context;
  const nested = new Template(`VDU ${vdu.id}, one instance`, new Set(context.nodeNames));
  const handed: Record<string, Json> = {};
  const hand: Hand = (name, type, value) => {
    handed[name] = value;
    return nested.parameter(name, type);
  };
  const cps = inOrder(flavour.cps.filter(({ vduId }) => vduId === vdu.id));
  const ports = cps.map((cp) => addPort(context, top, nested, cp, shared, hand));
  handed.zone = asked('VDU', vdu.id, 'locationConstraints');
  const group = shared.serverGroups.get(vdu.id);
  nested.add(vdu.id, {
    type: 'OS::Nova::Server',
    properties: {
      flavor: hand('flavor', 'string', asked('VDU', vdu.id, 'flavor')),
      ...disks(context, vdu, nested, hand),
      availability_zone: nested.parameter('zone', 'string', ''),
      networks: ports.map((port) => ({ port })),
      ...(group === undefined ? {} : { scheduler_hints: { group: hand('server_group', 'string', group) } }),
      user_data_format: 'RAW',
      ...bootText(context, vdu.id),
      ...metadata(context, vdu.id),
    },
  });
  if (vdu.flavorName === undefined && (vdu.virtualCpus === undefined || vdu.memoryBytes === undefined)) {
    const reason = `names no Nova flavor, and not both virtual_cpu and virtual_memory: each instantiation has to name one in additionalParams.nfv.VDU.${vdu.id}.flavor`;
    context.warn('translation.no-flavor', vdu.id, reason);
  }
  const name = `vdu-${vdu.id}.yaml`;
  const subnets = cps.flatMap(({ virtualLinkId }) => shared.subnets.get(virtualLinkId ?? '') ?? []);
  const dependencies = subnets.length === 0 ? {} : { depends_on: [...new Set(subnets)] };
  const { min, max } = instancesOf(flavour, vdu);
  const alone = min === 1 && max === 1 && !flavour.scalingAspects.some(({ deltas }) => deltas.some((d) => d.vduId === vdu.id));
  if (alone) top.add(vdu.id, { type: name, ...dependencies, properties: handed });
  else
    top.addBeside(groupName(flavour, vdu.id), {
      type: 'OS::Heat::AutoScalingGroup',
      ...dependencies,
      properties: {
        min_size: min,
        max_size: max,
        desired_capacity: asked('VDU', vdu.id, 'desired_capacity'),
        resource: { type: name, properties: handed },
      },
    });
  return { name, text: nested.text() };
}

/** By the order of their NICs; those without one come last, as they stand in the VNFD. */
const inOrder = (cps: readonly ConnectionPoint[]): ConnectionPoint[] =>
  cps.toSorted((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity) || 0);

function addPort(context: Context, top: Template, nested: Template, cp: ConnectionPoint, shared: Shared, hand: Hand): Json {
  const port = nested.add(cp.id, { type: 'OS::Neutron::Port', properties: portProperties(context, cp, shared, hand) });
  if (hasFloatingIp(context, cp)) {
    const network = hand('floating_network', 'string', top.parameter('floating_network', 'string'));
    const properties = { floating_network: network, port_id: port };
    nested.addBeside(`${cp.id}_floating_ip`, { type: 'OS::Neutron::FloatingIP', properties });
  }
  return port;
}

/** `meta_data` of the node: no property of SOL001, but one that packages have. The server sees it. */
function metadata({ topology }: Context, vduId: string): Record<string, Json> {
  const given = topology.at('node_templates', vduId, 'properties', 'meta_data').entries();
  const entries = given.flatMap(([key, value]) => (value.present ? [[key, value.requiredText()] as const] : []));
  return entries.length === 0 ? {} : { metadata: Object.fromEntries(entries) };
}

/** What the server boots from, and the volumes that it has. */
function disks(context: Context, vdu: Vdu, nested: Template, hand: Hand): Record<string, Json> {
  const storages = vdu.storageIds.flatMap((wanted) => context.flavour.storages.find(({ id }) => id === wanted) ?? []);
  const boot = bootStorage(context, vdu, storages);
  const ordered = boot === undefined ? storages : [boot, ...storages.filter((storage) => storage !== boot)];
  const mappings = ordered.map((storage) => ({
    volume_id: addVolume(context, storage, nested, hand),
    boot_index: storage === boot ? 0 : -1,
  }));
  return {
    ...(boot === undefined ? { image: hand('image', 'string', asked('VDU', vdu.id, 'image')) } : {}),
    ...(mappings.length === 0 ? {} : { block_device_mapping_v2: mappings }),
  };
}

/** The volume to boot from; undefined for a server that boots from its image. */
function bootStorage(context: Context, vdu: Vdu, storages: readonly Storage[]): Storage | undefined {
  const [first] = context.topology.at('node_templates', vdu.id, 'properties', 'boot_order').items();
  if (first !== undefined) {
    const name = first.requiredText();
    const storage = storages.find(({ id }) => id === name);
    if (storage?.image === undefined) throw context.refuse(vdu.id, REFUSED.bootOrder, `shall boot from "${name}"`);
    return storage;
  }
  if (vdu.image !== undefined) return undefined;
  const storage = storages.find(({ image }) => image !== undefined);
  if (storage === undefined) throw context.refuse(vdu.id, REFUSED.noImage, 'has no image to boot from');
  return storage;
}

function addVolume(context: Context, { id, sizeBytes, image }: Storage, nested: Template, hand: Hand): Json {
  if (sizeBytes === undefined || sizeBytes === 0) throw context.refuse(id, REFUSED.noSize, 'has no size');
  if (image !== undefined && wholeGibibytes(image.minDisk) > wholeGibibytes(sizeBytes)) {
    const sizes = `is ${wholeGibibytes(sizeBytes)} GiB large, and its image wants ${wholeGibibytes(image.minDisk)} GiB`;
    throw context.refuse(id, REFUSED.smallVolume, sizes);
  }
  return nested.add(id, {
    type: 'OS::Cinder::Volume',
    properties: {
      size: wholeGibibytes(sizeBytes),
      ...(image === undefined ? {} : { image: hand(`image_${id}`, 'string', asked('VDU', id, 'image')) }),
    },
  });
}
