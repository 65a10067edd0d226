import type { Json } from '@windlass/foundation';
import type { Context } from './context.js';
import { address, mtu, outOfPools, pool, range } from './network-values.js';
import { MODE_OF_IPV4, REFUSED } from './table.js';
import type { Template } from './template.js';
import { Tosca } from '../vnfd/type-tree.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** The networks of the VNF's own links with their subnets: the names of the subnets, by link. */
export function addNetworks(context: Context, top: Template): ReadonlyMap<string, string[]> {
  return new Map(
    context.topology.nodes(Tosca.virtualLink).map(([id, node], index) => {
      const network = top.add(id, { type: 'OS::Neutron::Net', properties: networkProperties(id, node) });
      const subnets = subnetsOf(context, id, node, index).map(
        (properties, number) =>
          top.addBeside(number === 0 ? `${id}_subnet` : `${id}_subnet_${number + 1}`, {
            type: 'OS::Neutron::Subnet',
            properties: { network, ...properties },
          }).get_resource,
      );
      return [id, subnets] as const;
    }),
  );
}

const protocolsOf = (node: YamlNode): YamlNode[] => {
  const data = node.at('properties', 'vl_profile', 'virtual_link_protocol_data');
  return data.isMap ? [data] : data.items();
};

function networkProperties(id: string, node: YamlNode): Record<string, Json> {
  const protocols = protocolsOf(node);
  const versions = protocols.map((data) => data.at('l3_protocol_data', 'ip_version').text()?.toLowerCase());
  const bytes = protocols
    .map((data) => mtu(data.at('l2_protocol_data', 'mtu'), versions.includes('ipv6') ? 6 : 4))
    .find((each) => each !== undefined);
  return { name: id, ...(bytes === undefined ? {} : { value_specs: { mtu: bytes } }) };
}

const LAYERS: ReadonlySet<string> = new Set(['ethernet', 'ipv4', 'ipv6']);

/** Subnets that the VNFD describes; where it wants IP and describes none, one that is chosen. */
function subnetsOf(context: Context, id: string, node: YamlNode, index: number): Record<string, Json>[] {
  const layers = node
    .at('properties', 'connectivity_type', 'layer_protocols')
    .items()
    .map((layer) => layer.requiredText());
  const odd = layers.find((layer) => !LAYERS.has(layer));
  if (odd !== undefined) throw context.refuse(id, REFUSED.linkWithoutIp, `has the layer protocol "${odd}"`);
  const described = protocolsOf(node)
    .map((data) => data.at('l3_protocol_data'))
    .filter((data) => data.present);
  if (described.length > 0) return described.map((data) => subnetProperties(context, id, data));
  if (layers.length > 0 && !layers.includes('ipv4') && !layers.includes('ipv6')) return [];
  const version = layers.includes('ipv4') || layers.length === 0 ? 4 : 6;
  const cidr = version === 4 ? `192.168.${100 + (index % 100)}.0/24` : `fd00:${(index + 1).toString(16)}::/64`;
  context.warn('translation.chosen-subnet', id, `describes no l3_protocol_data: its subnet is ${cidr}, without a gateway`);
  return [{ ip_version: version, cidr, gateway_ip: '' }];
}

function subnetProperties(context: Context, id: string, data: YamlNode): Record<string, Json> {
  const mode = data.at('ipv6_address_mode').text();
  const dhcp = data.at('dhcp_enabled').boolean();
  const version = data.at('ip_version').text()?.toLowerCase() ?? 'ipv4';
  if (version !== 'ipv4' && version !== 'ipv6') throw data.at('ip_version').wrong(`should be ipv4 or ipv6, is "${version}"`);
  const number = version === 'ipv4' ? 4 : 6;
  const written = data.at('gateway_ip').text();
  // An empty text is no gateway.
  const gateway = written === undefined || written === '' ? written : address(data.at('gateway_ip'), number);
  const cidr = range(data.at('cidr'), number);
  const pools = data
    .at('ip_allocation_pools')
    .items()
    .map((each) => pool(each, cidr, number));
  if (gateway !== undefined && gateway !== '') outOfPools(data.at('gateway_ip'), pools);
  if (version === 'ipv4' && mode !== undefined)
    context.warn('translation.left-out', id, `${MODE_OF_IPV4.tosca} is left out: ${MODE_OF_IPV4.note}`);
  return {
    ip_version: number,
    cidr,
    ...(gateway === undefined ? {} : { gateway_ip: gateway }),
    ...(dhcp === undefined ? {} : { enable_dhcp: dhcp }),
    ...(pools.length === 0 ? {} : { allocation_pools: pools }),
    ...(version === 'ipv6' && mode !== undefined ? { ipv6_address_mode: mode, ipv6_ra_mode: mode } : {}),
  };
}
