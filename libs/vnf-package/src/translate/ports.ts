import type { Json } from '@windlass/foundation';
import type { Context } from './context.js';
import { address, macAddress, oneOf, range } from './network-values.js';
import type { Template } from './template.js';
import type { ConnectionPoint } from '../model/model.js';
import { requirementTargets } from '../vnfd/nodes.js';
import { Tosca } from '../vnfd/type-tree.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** What the ports of a flavour share. */
export interface Shared {
  /** Subnets by the link that they are on. */
  subnets: ReadonlyMap<string, string[]>;
  /** Server groups by VDU. */
  serverGroups: ReadonlyMap<string, Json>;
  /** Security groups by connection point. */
  securityGroups: ReadonlyMap<string, Json>;
}

/** A value that the top template hands to a nested one: the nested one's reference to it. In the top template it is the value itself. */
export type Hand = (name: string, type: 'string' | 'json', value: Json) => Json;

/** What the templates ask for by the parameter `nfv`. */
export const asked = (...path: string[]): Json => ({ get_param: ['nfv', ...path] });

/** Ports that are no server's: virtual addresses, and connection points that no VDU is bound to. */
export function addOwnPorts(context: Context, top: Template, shared: Shared): void {
  for (const cp of context.flavour.cps.filter(({ vduId }) => vduId === undefined)) {
    const here: Hand = (_name, _type, value) => value;
    const subnets = shared.subnets.get(cp.virtualLinkId ?? '') ?? [];
    top.add(cp.id, {
      type: 'OS::Neutron::Port',
      ...(subnets.length === 0 ? {} : { depends_on: subnets }),
      properties: portProperties(context, cp, shared, here),
    });
  }
}

/** SOL001's, and the others that Neutron has. */
const VNIC_TYPES: readonly string[] = [
  ...['normal', 'virtio', 'direct', 'macvtap', 'direct-physical', 'baremetal', 'virtio-forwarder', 'smart-nic'],
  ...['vdpa', 'remote-managed', 'accelerator-direct', 'accelerator-direct-physical'],
];

/** The properties of a connection point's port. */
export function portProperties(context: Context, cp: ConnectionPoint, shared: Shared, hand: Hand): Record<string, Json> {
  const node = context.topology.at('node_templates', cp.id);
  const internal = context.flavour.virtualLinks.some(({ id }) => id === cp.virtualLinkId);
  const network = internal ? { get_resource: cp.virtualLinkId ?? '' } : asked('CP', cp.id, 'network');
  const pairs = [...writtenPairs(node), ...addressesOfVips(context, cp, hand)];
  const group = shared.securityGroups.get(cp.id);
  const vnicType = oneOf(node.at('properties', 'vnic_type'), VNIC_TYPES);
  return {
    network: hand(`network_${cp.id}`, 'string', network),
    fixed_ips: hand(`fixed_ips_${cp.id}`, 'json', asked('CP', cp.id, 'fixed_ips')),
    ...(pairs.length === 0 ? {} : { allowed_address_pairs: pairs }),
    ...(group === undefined ? {} : { security_groups: [hand(`security_group_${cp.id}`, 'string', group)] }),
    ...(vnicType === undefined ? {} : { 'binding:vnic_type': vnicType === 'virtio' ? 'normal' : vnicType }),
  };
}

/** `allowed_address_pairs` of the node itself: no property of SOL001, but one that packages have. */
function writtenPairs(node: YamlNode): Json[] {
  const pairs = node.at('properties', 'allowed_address_pairs');
  return pairs.items().map((pair) => {
    const mac = macAddress(pair.at('mac_address'));
    const ip = pair.at('ip_address');
    return {
      ip_address: ip.requiredText().includes('/') ? range(ip) : address(ip),
      ...(mac === undefined ? {} : { mac_address: mac }),
    };
  });
}

/** The addresses of the VipCps whose target it is. */
function addressesOfVips({ topology }: Context, cp: ConnectionPoint, hand: Hand): Json[] {
  return topology
    .nodes(Tosca.vipCp)
    .filter(([, node]) => requirementTargets(node, 'target').includes(cp.id))
    .map(([id]) => ({
      ip_address: hand(`address_${id}`, 'string', { get_attr: [id, 'fixed_ips', 0, 'ip_address'] }),
    }));
}

/** Whether its address shall be reached from outside by another. */
export function hasFloatingIp({ topology }: Context, cp: ConnectionPoint): boolean {
  const protocols = topology.at('node_templates', cp.id, 'properties', 'protocol').items();
  const data = protocols.flatMap((protocol) => listOf(protocol.at('address_data')));
  return data.map((each) => each.at('l3_address_data', 'floating_ip_activated').boolean()).includes(true);
}

const listOf = (node: YamlNode): YamlNode[] => (node.isMap ? [node] : node.items());
