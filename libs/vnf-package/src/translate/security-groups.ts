import type { Json } from '@windlass/foundation';
import type { Context } from './context.js';
import { oneOf, portNumber } from './network-values.js';
import type { Template } from './template.js';
import { Tosca } from '../vnfd/type-tree.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** Protocols whose rules have ports, by their names and by IANA's numbers; of others the two numbers mean something else. */
const WITH_PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite', '6', '17', '132', '33', '136']);
/** The others that Neutron knows by a name; any has a number, too. */
const WITHOUT_PORTS: ReadonlySet<string> = new Set([
  ...['ah', 'any', 'egp', 'esp', 'gre', 'icmp', 'icmpv6', 'igmp', 'ip', 'ipip', 'ipv6-encap', 'ipv6-frag', 'ipv6-icmp'],
  ...['ipv6-nonxt', 'ipv6-opts', 'ipv6-route', 'ospf', 'pgm', 'rsvp', 'vrrp'],
]);
const LAST_PORT = 65_535;

/** A security group for each connection point that rules target: its reference, by the connection point. */
export function addSecurityGroups(context: Context, top: Template): ReadonlyMap<string, { get_resource: string }> {
  const rules = new Map<string, Json[]>();
  for (const [name, policy] of context.topology.policies(Tosca.securityGroupRule)) {
    for (const target of policy.at('targets').items()) {
      const id = target.requiredText();
      if (!context.flavour.cps.some((cp) => cp.id === id)) throw target.wrong(`names "${id}", which is no connection point`);
      rules.set(id, [...(rules.get(id) ?? []), ruleOf(context, name, policy.at('properties'))]);
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
function ruleOf(context: Context, name: string, properties: YamlNode): Json {
  const protocol = protocolOf(properties.at('protocol'));
  const [lowest, highest] = [properties.at('port_range_min'), properties.at('port_range_max')];
  const [min, max] = [portNumber(lowest) ?? 0, portNumber(highest) ?? LAST_PORT];
  const anyPort = min === 0 && max === LAST_PORT;
  const hasPorts = WITH_PORTS.has(protocol);
  if (hasPorts && min > max) throw highest.wrong(`is ${max}, below port_range_min, which is ${min}: correct one of them`);
  if (!hasPorts && !anyPort) {
    const reason = `the ports of the rule are left out, for ${JSON.stringify(protocol)} has none: all of the protocol is permitted`;
    context.warn('translation.left-out', name, reason);
  }
  return {
    direction: oneOf(properties.at('direction'), ['ingress', 'egress']) ?? 'ingress',
    ethertype: oneOf(properties.at('ether_type'), ['ipv4', 'ipv6']) === 'ipv6' ? 'IPv6' : 'IPv4',
    protocol,
    ...(anyPort || !hasPorts ? {} : { port_range_min: Math.max(1, min), port_range_max: max }),
  };
}

/** In small letters, and TCP where nothing stands. @throws PackageError for one that Neutron does not know */
function protocolOf(node: YamlNode): string {
  const protocol = (node.text() ?? 'tcp').toLowerCase();
  const known =
    WITH_PORTS.has(protocol) || WITHOUT_PORTS.has(protocol) || (/^\d{1,3}$/.test(protocol) && Number(protocol) <= 255);
  if (known) return protocol;
  throw node.wrong(`should be a protocol such as tcp, udp or icmp, or its number (0 to 255), is ${JSON.stringify(protocol)}`);
}
