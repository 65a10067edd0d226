import { isTemplateName } from './file-references.js';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';
import { parseYaml } from '../yaml/parse-yaml.js';
import { YamlNode } from '../yaml/yaml-node.js';

/** An `OS::Heat::AutoScalingGroup` of the top template. */
export interface HotGroup {
  /** Its resource's name: the aspect's id in v1 packages, the VDU's name in v2 ones. */
  name: string;
  /** The nested template, or the type, that it multiplies. */
  memberType: string;
  /** Servers in one member. */
  vduIds: string[];
  /** Absent where the template computes it. */
  minSize?: number;
  maxSize?: number;
  desired: DesiredCapacity;
  /** Its members are given a server group whose policy is anti-affinity: no two on one host. Absent: they are not, or an earlier release onboarded the package. */
  apart?: true;
}

/** Where a group's `desired_capacity` comes from. */
export type DesiredCapacity =
  | { kind: 'literal'; size: number }
  /** `get_param: [nfv, VDU, <vduId>, desired_capacity]` */
  | { kind: 'nfv'; vduId: string }
  /** `get_param: <name>` */
  | { kind: 'parameter'; name: string }
  /** Not given: Heat starts with `min_size`. */
  | { kind: 'absent' }
  | { kind: 'computed' };

/** A server of the templates: its resource has the VDU's name. */
export interface HotServer {
  vduId: string;
  /** The group of the top template that it is in. */
  group?: string;
}

const GROUP_TYPES: ReadonlySet<string> = new Set(['OS::Heat::AutoScalingGroup', 'OS::Heat::InstanceGroup']);
const FLOATING_TYPES: ReadonlySet<string> = new Set(['OS::Neutron::FloatingIP', 'OS::Neutron::FloatingIPAssociation']);
const SERVER_TYPE = 'OS::Nova::Server';
const MAX_NESTING = 5; // Heat's own default for max_nested_stack_depth

/** Groups and servers of a top template. `template` finds a nested one by the name it is referred to. */
export function readHotResources(
  top: YamlNode,
  template: (reference: string) => YamlNode | undefined,
): { groups: HotGroup[]; servers: HotServer[] } {
  const groups: HotGroup[] = [];
  const servers: HotServer[] = [];
  const apart = serverGroupsApart(top);
  for (const [name, resource] of top.at('resources').entries()) {
    const type = resource.at('type').text() ?? '';
    if (!GROUP_TYPES.has(type)) {
      servers.push(...serversOf(name, type, template, 0).map((vduId) => ({ vduId })));
      continue;
    }
    const properties = resource.at('properties');
    const memberType = properties.at('resource', 'type').text() ?? '';
    const vduIds = serversOf(name, memberType, template, 0);
    servers.push(...vduIds.map((vduId) => ({ vduId, group: name })));
    const [minSize, maxSize] = [wholeNumber(properties.at('min_size')), wholeNumber(properties.at('max_size'))];
    groups.push({
      name,
      memberType,
      vduIds,
      ...(minSize === undefined ? {} : { minSize }),
      ...(maxSize === undefined ? {} : { maxSize }),
      desired: desiredCapacity(properties.at('desired_capacity')),
      ...(refersTo(properties.at('resource', 'properties'), apart) ? { apart: true as const } : {}),
    });
  }
  return { groups, servers };
}

/** The servers of templates that are no package's: a script has made them. @param files nested templates by their names. @throws PackageError `yaml.*` */
export function serversOfTemplates(top: string, files: Readonly<Record<string, string>>): HotServer[] {
  const read = (text: string, name: string): YamlNode => new YamlNode(parseYaml(text, name, DEFAULT_YAML_LIMITS).value, name);
  const nested = (name: string): YamlNode | undefined => {
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    return text === undefined ? undefined : read(text, name);
  };
  return readHotResources(read(top, 'template'), nested).servers;
}

/**
 * Names of the ports of a template that are given a floating IP, by `port_id` of one or of its association. A template that computes which port
 * is not understood.
 */
export const portsWithFloatingIp = (template: YamlNode): string[] =>
  template
    .at('resources')
    .entries()
    .filter(([, resource]) => FLOATING_TYPES.has(resource.at('type').text() ?? ''))
    .flatMap(([, resource]) => resource.at('properties', 'port_id', 'get_resource').text() ?? []);

/** A floating IP of the templates. */
export interface HotFloatingIp {
  /** Name of its resource. */
  id: string;
  /** Name of the port that it leads to; null where a template computes that, or several of the name lead to several. */
  cp: string | null;
}

/** The floating IPs of templates, each with its port, which is its own `port_id` or that of its association. */
export function floatingIpsOf(templates: readonly YamlNode[]): HotFloatingIp[] {
  const found = new Map<string, string | null>();
  for (const template of templates) {
    const resources = template.at('resources').entries();
    const ofType = (type: string) => resources.filter(([, resource]) => resource.at('type').value === type);
    const referred = (resource: YamlNode, property: string) => resource.at('properties', property, 'get_resource').text();
    const associated = new Map(
      ofType('OS::Neutron::FloatingIPAssociation').map(([, resource]) => [
        referred(resource, 'floatingip_id'),
        referred(resource, 'port_id'),
      ]),
    );
    for (const [id, resource] of ofType('OS::Neutron::FloatingIP')) {
      const cp = referred(resource, 'port_id') ?? associated.get(id) ?? null;
      found.set(id, found.has(id) && found.get(id) !== cp ? null : cp);
    }
  }
  return [...found].map(([id, cp]) => ({ id, cp }));
}

/** Names of the top template's ports that none of its servers has, such as a virtual address's. A port that a nested template is handed is not understood. */
export function portsWithoutServer(top: YamlNode): string[] {
  const ofType = (type: string) =>
    top.at('resources').entries().filter(([, resource]) => resource.at('type').value === type); // prettier-ignore
  const taken = ofType('OS::Nova::Server').flatMap(([, server]) => {
    const networks = server.at('properties', 'networks');
    return networks.isList ? networks.items().map((each) => each.at('port', 'get_resource').value) : [];
  });
  return ofType('OS::Neutron::Port').flatMap(([name]) => (taken.includes(name) ? [] : [name]));
}

/** The top template's server groups that keep servers on hosts apart. The soft policy promises nothing; what a template computes is not known. */
const serverGroupsApart = (top: YamlNode): ReadonlySet<unknown> =>
  new Set(
    top
      .at('resources')
      .entries()
      .filter(
        ([, resource]) => resource.at('type').value === 'OS::Nova::ServerGroup' && isApart(resource.at('properties', 'policies')),
      )
      .map(([name]) => name),
  );

const isApart = (policies: YamlNode): boolean =>
  policies.isList && policies.items().some(({ value }) => value === 'anti-affinity');

/** Whether a member is handed one of these resources. */
const refersTo = (handed: YamlNode, resources: ReadonlySet<unknown>): boolean =>
  handed.isMap && handed.entries().some(([, value]) => resources.has(value.at('get_resource').value));

/** VDU ids of the servers that one resource makes: itself, or those of its nested template. */
function serversOf(name: string, type: string, template: (reference: string) => YamlNode | undefined, depth: number): string[] {
  if (type === SERVER_TYPE) return [name];
  if (!isTemplateName(type) || depth >= MAX_NESTING) return [];
  const nested = template(type)?.at('resources').entries() ?? [];
  return nested.flatMap(([inner, resource]) => serversOf(inner, resource.at('type').text() ?? '', template, depth + 1));
}

/** As Heat reads it; what it would refuse, and what a template computes, is no number here. */
function wholeNumber(node: YamlNode): number | undefined {
  const size = typeof node.value === 'string' ? node.asInteger() : undefined;
  return size !== undefined && size >= 0 && size < 1e9 ? size : undefined;
}

function desiredCapacity(node: YamlNode): DesiredCapacity {
  if (!node.present) return { kind: 'absent' };
  const size = wholeNumber(node);
  if (size !== undefined) return { kind: 'literal', size };
  const asked = node.at('get_param');
  if (typeof asked.value === 'string') return { kind: 'parameter', name: asked.value };
  if (!asked.isList) return { kind: 'computed' };
  const [parameter, section, vduId, attribute] = asked.items().map((item) => item.value);
  const ours = parameter === 'nfv' && section === 'VDU' && attribute === 'desired_capacity' && typeof vduId === 'string';
  return ours ? { kind: 'nfv', vduId } : { kind: 'computed' };
}
