import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { NetworkNeed, PortNeed, SecurityRule, TemplateGroup } from '@windlass/openstack';
import { entries, literal, objects, referredTo, type TemplateResource } from '@windlass/user-data';

const PORT = 'OS::Neutron::Port';
const GROUP = 'OS::Neutron::SecurityGroup';

const networkOf = (properties: JsonObject): string | undefined => literal(properties.network) ?? literal(properties.network_id);

/** Ports of the templates, one of each name: members of a group are alike. Those that Nova makes by itself are called as their server. */
export function portsOf(resources: readonly TemplateResource[]): PortNeed[] {
  const ports = resources.flatMap(({ type, name, properties }): PortNeed[] => {
    if (type === PORT) return [portNeed(name, properties)];
    if (type !== 'OS::Nova::Server') return [];
    const made = objects(properties.networks).filter(({ port }) => port === undefined || port === null);
    return made.map((card) => portNeed(name, { ...card, security_groups: properties.security_groups ?? null }));
  });
  return [...new Map(ports.map((port) => [port.name, port])).values()];
}

function portNeed(name: string, properties: JsonObject): PortNeed {
  const network = networkOf(properties);
  const given = entries(properties.security_groups);
  const inVim = given.flatMap((group) => literal(group) ?? []);
  return {
    name,
    ...(network === undefined ? {} : { network }),
    ...(inVim.length === 0 ? {} : { groups: inVim }),
    templateGroups: given.flatMap((group) => referredTo(group) ?? []),
    portSecurity: properties.port_security_enabled !== false,
    ownersAttributes: ownersAttributes(properties),
  };
}

/** What Neutron's default policy lets only the owner of the network set. */
function ownersAttributes(properties: JsonObject): string[] {
  const fixed = objects(properties.fixed_ips).some(({ ip_address: address }) => address !== undefined && address !== null);
  return [
    ...(objects(properties.allowed_address_pairs).length > 0 ? ['allowed_address_pairs'] : []),
    ...(properties.port_security_enabled === false ? ['port_security_enabled'] : []),
    ...(fixed ? ['fixed_ips:ip_address'] : []),
    ...(literal(properties.mac_address) === undefined ? [] : ['mac_address']),
  ];
}

/**
 * Networks of the VIM that the templates name.
 * @param outward names of ports whose servers must reach repositories
 */
export function networksOf(resources: readonly TemplateResource[], outward: readonly string[]): NetworkNeed[] {
  const needs = new Map<string, NetworkNeed>();
  const add = (name: string, cp: string, fixedIps: JsonObject[]): void => {
    const { of, subnets, addresses, outward: before } = needs.get(name) ?? { of: [], subnets: [], addresses: [], outward: false };
    const texts = (member: string): string[] => fixedIps.flatMap((ip) => literal(ip[member]) ?? []);
    needs.set(name, {
      name,
      of: [...new Set([...of, cp])],
      subnets: [...new Set([...subnets, ...texts('subnet'), ...texts('subnet_id')])],
      addresses: [...new Set([...addresses, ...texts('ip_address')])],
      outward: before || outward.includes(cp),
    });
  };
  for (const { type, name, properties } of resources) {
    const network = networkOf(properties);
    if (type === PORT && network !== undefined) add(network, name, objects(properties.fixed_ips));
    const floating = literal(properties.floating_network);
    if (type === 'OS::Neutron::FloatingIP' && floating !== undefined) add(floating, name, []);
    if (type !== 'OS::Nova::Server') continue;
    for (const card of objects(properties.networks)) {
      const named = networkOf(card);
      if (named !== undefined) add(named, name, objects(card.fixed_ips));
    }
  }
  return [...needs.values()];
}

/** Security groups of the templates with their rules, those of resources of their own among them. */
export function templateGroupsOf(resources: readonly TemplateResource[]): TemplateGroup[] {
  return resources
    .filter(({ type }) => type === GROUP)
    .map(({ path, properties }) => {
      const beside = resources.filter(
        ({ type, properties: of }) => type === 'OS::Neutron::SecurityGroupRule' && referredTo(of.security_group) === path,
      );
      const own = objects(properties.rules).map((rule) => ruleOf(rule, path));
      // Heat takes Neutron's own two away where the template says itself what goes out.
      const defaults = own.some(({ direction }) => direction === 'egress')
        ? []
        : [{ direction: 'egress', ethertype: 'IPv4' } as const];
      return { name: path, rules: [...defaults, ...own, ...beside.map((rule) => ruleOf(rule.properties, path))] };
    });
}

function ruleOf(rule: JsonObject, group: string): SecurityRule {
  const number = (value: Json | undefined): number | undefined => {
    const text = literal(value);
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const given = rule.remote_group_id ?? rule.remote_group;
  const members = rule.remote_mode === 'remote_group_id' || given !== undefined;
  const named = isJsonObject(given) ? referredTo(given) : literal(given);
  return {
    direction: rule.direction === 'egress' ? 'egress' : 'ingress',
    ethertype: literal(rule.ethertype) ?? 'IPv4',
    protocol: literal(rule.protocol),
    min: number(rule.port_range_min),
    max: number(rule.port_range_max),
    prefix: literal(rule.remote_ip_prefix),
    // Without an id, members of the group itself are meant.
    remoteGroup: members ? (named ?? group) : undefined,
  };
}
