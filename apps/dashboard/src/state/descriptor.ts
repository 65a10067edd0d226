import { parse } from 'yaml';

/** A kind of VM in a flavour. */
export interface ShownVdu {
  name: string;
  instances: string;
  image: string;
  size: string;
  ports: { name: string; network: string }[];
  volumes: string[];
}

/** A flavour of the descriptor (SOL001), as far as it is drawn. */
export interface ShownFlavour {
  id: string;
  description: string;
  vdus: ShownVdu[];
  aspects: { id: string; description: string; maxLevel: string }[];
}

type Node = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
const inside = (value: unknown, ...path: string[]): unknown => path.reduce<unknown>((at, name) => objectOf(at)[name], value);
const textIn = (value: unknown, ...path: string[]): string => {
  const found = inside(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Flavours that the files of a VNFD describe: each of them that substitutes a flavour's node. A file that can't be read is passed over. */
export function flavoursIn(texts: Iterable<string>): ShownFlavour[] {
  const flavours = [...texts].flatMap((text): ShownFlavour[] => {
    const template = inside(read(text), 'topology_template');
    const id = textIn(template, 'substitution_mappings', 'properties', 'flavour_id');
    return id === '' ? [] : [flavourOf(id, template)];
  });
  return flavours.sort((one, other) => one.id.localeCompare(other.id));
}

function read(text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function flavourOf(id: string, template: unknown): ShownFlavour {
  const nodes = Object.entries(objectOf(inside(template, 'node_templates')));
  const typed = (ending: string): [string, unknown][] => nodes.filter(([, node]) => textIn(node, 'type').endsWith(ending));
  const ports = typed('.VduCp');
  const description =
    nodes.map(([, node]) => textIn(node, 'properties', 'flavour_description')).find((text) => text !== '') ?? '';
  return {
    id,
    description,
    vdus: typed('.Vdu.Compute').map(([name, node]) => vduOf(name, node, ports)),
    aspects: listOf(inside(template, 'policies')).flatMap(aspectsIn),
  };
}

/** What a node's requirements of a name lead to. */
const required = (node: unknown, name: string): string[] =>
  listOf(inside(node, 'requirements')).flatMap((requirement) => {
    const to = inside(requirement, name);
    const target = typeof to === 'string' ? to : textIn(to, 'node');
    return target === '' ? [] : [target];
  });

function vduOf(name: string, node: unknown, ports: readonly [string, unknown][]): ShownVdu {
  const compute = inside(node, 'capabilities', 'virtual_compute', 'properties');
  const profile = inside(node, 'properties', 'vdu_profile');
  const [least, most] = [textIn(profile, 'min_number_of_instances'), textIn(profile, 'max_number_of_instances')];
  const cpus = textIn(compute, 'virtual_cpu', 'num_virtual_cpu');
  const capability = inside(compute, 'requested_additional_capabilities', 'properties');
  return {
    name,
    instances: least === most ? least : `${least} to ${most}`,
    image: textIn(node, 'properties', 'sw_image_data', 'name'),
    size: [
      textIn(capability, 'requested_additional_capability_name'),
      cpus === '' ? '' : `${cpus} CPUs`,
      textIn(compute, 'virtual_memory', 'virtual_mem_size'),
    ]
      .filter((part) => part !== '')
      .join(', '),
    ports: ports
      .filter(([, port]) => required(port, 'virtual_binding').includes(name))
      .map(([port, of]) => ({ name: port, network: required(of, 'virtual_link')[0] ?? 'external' })),
    volumes: required(node, 'virtual_storage'),
  };
}

/** A policy is written as an object with one member: its name. */
const aspectsIn = (policy: unknown): ShownFlavour['aspects'] =>
  Object.values(objectOf(policy))
    .filter((of) => textIn(of, 'type').endsWith('.ScalingAspects'))
    .flatMap((of) => Object.entries(objectOf(inside(of, 'properties', 'aspects'))))
    .map(([id, aspect]) => ({ id, description: textIn(aspect, 'description'), maxLevel: textIn(aspect, 'max_scale_level') }));
