import type { Json } from '@windlass/foundation';
import type { Context } from './context.js';
import type { Template } from './template.js';
import { Tosca } from '../vnfd/type-tree.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** Protocols whose rules have ports; of others the two numbers mean something else. */
const WITH_PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite']);
const LAST_PORT = 65_535;

/** A security group for each connection point that rules target: its reference, by the connection point. */
export function addSecurityGroups(context: Context, top: Template): ReadonlyMap<string, { get_resource: string }> {
  const rules = new Map<string, Json[]>();
  for (const [, policy] of context.topology.policies(Tosca.securityGroupRule)) {
    for (const target of policy.at('targets').items()) {
      const id = target.requiredText();
      if (!context.flavour.cps.some((cp) => cp.id === id)) throw target.wrong(`names "${id}", which is no connection point`);
      rules.set(id, [...(rules.get(id) ?? []), ruleOf(policy.at('properties'))]);
    }
  }
  return new Map(
    [...rules].map(([id, list]) => {
      const properties = { rules: list };
      return [id, top.addBeside(`${id}_security_group`, { type: 'OS::Neutron::SecurityGroup', properties })] as const;
    }),
  );
}

/** With the defaults of SOL001: inwards, IPv4, TCP, every port. */
function ruleOf(properties: YamlNode): Json {
  const protocol = (properties.at('protocol').text() ?? 'tcp').toLowerCase();
  const [min, max] = [properties.at('port_range_min').integer() ?? 0, properties.at('port_range_max').integer() ?? LAST_PORT];
  const anyPort = !WITH_PORTS.has(protocol) || (min === 0 && max === LAST_PORT);
  return {
    direction: properties.at('direction').text() ?? 'ingress',
    ethertype: properties.at('ether_type').text()?.toLowerCase() === 'ipv6' ? 'IPv6' : 'IPv4',
    protocol,
    ...(anyPort ? {} : { port_range_min: Math.max(1, min), port_range_max: max }),
  };
}
