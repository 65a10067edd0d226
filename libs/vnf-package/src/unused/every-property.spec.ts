import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { plainYaml } from '../yaml/plain-yaml.js';
import { PackageError } from '../refusals/package-error.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, VNFD_ID } from '../testing/package-factory.js';

const definitions = ['common', 'vnfd'].map((name) => {
  const file = new URL(`../../data/sol001/etsi_nfv_sol001_${name}_types.yaml`, import.meta.url);
  return plainYaml(readFileSync(file, 'utf8'), name);
});
const section = (name: string): JsonObject => Object.assign({}, ...definitions.map((file) => file[name] ?? {})) as JsonObject;
const TYPES: Record<string, JsonObject> = Object.fromEntries(
  ['node_types', 'policy_types', 'capability_types', 'data_types'].map((name) => [name, section(name)]),
);

const mapAt = (value: Json | undefined, ...keys: string[]): JsonObject => {
  let at = value;
  for (const key of keys) at = isJsonObject(at) ? at[key] : undefined;
  return isJsonObject(at) ? at : {};
};

/** The properties of a type and of those that it derives from. */
function propertiesOf(kind: string, type: string): [string, JsonObject][] {
  const own = mapAt(TYPES[kind], type);
  const above = typeof own.derived_from === 'string' ? propertiesOf(kind, own.derived_from) : [];
  return [
    ...above,
    ...Object.entries(mapAt(own, 'properties')).map(([name, value]) => [name, mapAt(value)] as [string, JsonObject]),
  ];
}

/** A property by its path, `*` for an entry of a list and `?` for one of a map, and values that it may have. */
type Leaf = { path: string[]; values: Json[] };

const VALUES: Readonly<Record<string, Json[]>> = {
  string: ['something', 'VM'],
  integer: [7, 1],
  boolean: [true, false],
  float: [0.5],
  list: [['something']],
  map: [{ a: 'b' }],
  'scalar-unit.size': ['3 GiB'],
  'scalar-unit.time': ['5 s'],
  'scalar-unit.frequency': ['2 GHz'],
};

function leavesOf(definition: JsonObject, path: string[]): Leaf[] {
  const type = String(definition.type);
  const entry = mapAt(definition.entry_schema);
  if (type === 'list' || type === 'map') {
    if (!String(entry.type).startsWith('tosca.')) return [{ path, values: VALUES[type] ?? [] }];
    return leavesOf(entry, [...path, type === 'list' ? '*' : '?']);
  }
  if (!type.startsWith('tosca.')) {
    const valid = Array.isArray(definition.constraints) ? definition.constraints.map((each) => mapAt(each).valid_values) : [];
    return [{ path, values: (valid.find(Array.isArray) as Json[] | undefined)?.slice(-3) ?? VALUES[type] ?? [] }];
  }
  return propertiesOf('data_types', type).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

function leavesOfType(type: string): Leaf[] {
  const kind = type.startsWith('tosca.policies') ? 'policy_types' : 'node_types';
  const own = propertiesOf(kind, type).flatMap(([name, value]) => leavesOf(value, ['properties', name]));
  const capabilities = Object.entries(mapAt(TYPES.node_types, type, 'capabilities')).flatMap(([name, capability]) =>
    propertiesOf('capability_types', String(mapAt(capability).type)).flatMap(([property, value]) =>
      leavesOf(value, ['capabilities', name, 'properties', property]),
    ),
  );
  return [...own, ...capabilities];
}

const nfv = (type: string) => `tosca.nodes.nfv.${type}`;
const policy = (type: string) => `tosca.policies.nfv.${type}`;
const VDU = { properties: { vdu_profile: { min_number_of_instances: 1, max_number_of_instances: 3 }, sw_image_data: {
  name: 'cirros', version: '1', checksum: { algorithm: 'sha-256', hash: '00' }, container_format: 'bare', disk_format: 'qcow2', min_disk: '1 B', size: '1 B',
} } }; // prettier-ignore

/** A flavour with a node of each type and a policy of each that is read. */
const NODES: Record<string, JsonObject> = {
  VNF: {
    type: nfv('VNF'),
    properties: { descriptor_id: VNFD_ID, provider: 'Me', product_name: 'S', software_version: '1', descriptor_version: '1' },
  },
  VM: { type: nfv('Vdu.Compute'), ...VDU, requirements: [{ virtual_storage: 'disk' }] },
  disk: { type: nfv('Vdu.VirtualBlockStorage'), properties: { virtual_block_storage_data: { size_of_storage: '1 GiB' } } },
  CP: { type: nfv('VduCp'), requirements: [{ virtual_binding: 'VM' }, { virtual_link: 'net' }] },
  net: {
    type: nfv('VnfVirtualLink'),
    properties: {
      vl_profile: { virtual_link_protocol_data: [{ l3_protocol_data: { ip_version: 'ipv4', cidr: '10.0.0.0/24' } }] },
    },
  },
};
const POLICIES: Record<string, JsonObject> = {
  aspects: { type: policy('ScalingAspects'), properties: { aspects: { one: { max_scale_level: 2, step_deltas: ['d'] } } } },
  initial: { type: policy('VduInitialDelta'), targets: ['VM'], properties: { initial_delta: { number_of_instances: 1 } } },
  deltas: {
    type: policy('VduScalingAspectDeltas'),
    targets: ['VM'],
    properties: { aspect: 'one', deltas: { d: { number_of_instances: 1 } } },
  },
  levels: { type: policy('InstantiationLevels'), properties: { levels: { one: { scale_info: { one: { scale_level: 1 } } } } } },
  vduLevels: {
    type: policy('VduInstantiationLevels'),
    targets: ['VM'],
    properties: { levels: { one: { number_of_instances: 2 } } },
  },
  linkLevels: { type: policy('VirtualLinkInstantiationLevels'), targets: ['net'], properties: { levels: { one: {} } } },
  together: { type: policy('AffinityRule'), targets: ['VM'], properties: { scope: 'zone' } },
  apart: { type: policy('AntiAffinityRule'), targets: ['VM'], properties: { scope: 'zone' } },
  rule: { type: policy('SecurityGroupRule'), targets: ['CP'], properties: {} },
};

async function outcome(nodes: JsonObject, policies: JsonObject) {
  const vnfd = {
    topology_template: {
      substitution_mappings: { node_type: nfv('VNF'), properties: { flavour_id: 'default' } },
      node_templates: nodes,
      policies: Object.entries(policies).map(([name, each]) => ({ [name]: each })),
    },
  };
  const files = { 'TOSCA-Metadata/TOSCA.meta': 'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nEntry-Definitions: D/v.yaml\n' };
  try {
    const { model, warnings } = await readVnfPackage(await csarOf({ ...files, 'D/v.yaml': JSON.stringify(vnfd, undefined, 1) }));
    return { model: JSON.stringify(model), warnings: warnings.map(({ reason }) => reason), refused: '' };
  } catch (error) {
    if (error instanceof PackageError) return { model: '', warnings: [], refused: error.reason };
    throw error;
  }
}

/** The value put in at the path; in the entry that a list or map has, or in one of its own. */
function put(into: Json | undefined, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value;
  if (key === '*') return Array.isArray(into) ? [put(into[0], rest, value), ...into.slice(1)] : [put(undefined, rest, value)];
  const map = isJsonObject(into) ? into : {};
  const name = key === '?' ? (Object.keys(map)[0] ?? 'one') : key;
  return { ...map, [name]: put(map[name], rest, value) };
}

/** What becomes of each property, by trying the values that it may have. */
async function fates(type: string): Promise<Map<string, string>> {
  const nodes = type.startsWith('tosca.nodes');
  const known = Object.entries(nodes ? NODES : POLICIES).find(([, each]) => each.type === type);
  const [name, node] = known ?? ['added', { type, targets: [] }];
  const base = await outcome(NODES, POLICIES);
  if (base.refused !== '') throw new Error(base.refused);
  const found = new Map<string, string>();
  for (const { path, values } of leavesOfType(type)) {
    const last = path.filter((key) => key !== '*' && key !== '?');
    const all: string[] = [];
    for (const value of values) {
      const changed = { [name]: put(node, path, value) };
      const now = nodes ? await outcome({ ...NODES, ...changed }, POLICIES) : await outcome(NODES, { ...POLICIES, ...changed });
      const told = now.warnings.some(
        (each) => !base.warnings.includes(each) && (last.some((key) => each.includes(key)) || each.includes(type)),
      );
      all.push(now.refused !== '' ? 'refused' : now.model !== base.model ? 'used' : told ? 'warned' : 'nothing');
    }
    found.set(path.join('.'), ['used', 'warned', 'refused'].find((fate) => all.includes(fate)) ?? 'nothing');
  }
  return found;
}

/** For whoever reads the descriptor, or said by another part: nothing follows, and nobody is told. */
const TOLD: Readonly<Record<string, string[]>> = {
  [nfv('VNF')]: ['product_info_name', 'product_info_description', 'localization_languages', 'default_localization_language'],
  [nfv('Vdu.Compute')]: [
    'sw_image_data.operating_system',
    'sw_image_data.supported_virtualisation_environments',
    'capabilities.virtual_compute.properties.requested_additional_capabilities.?.support_mandatory',
    'capabilities.virtual_compute.properties.requested_additional_capabilities.?.target_performance_parameters',
  ],
  [nfv('VduCp')]: [
    'description',
    'protocol.*.associated_layer_protocol',
    'protocol.*.address_data.*.address_type',
    'protocol.*.address_data.*.l2_address_data.mac_address_assignment',
    'protocol.*.address_data.*.l3_address_data.ip_address_assignment',
    'protocol.*.address_data.*.l3_address_data.ip_address_type',
  ],
  [nfv('VnfVirtualLink')]: [
    'vl_profile.virtual_link_protocol_data.*.associated_layer_protocol',
    'vl_profile.virtual_link_protocol_data.*.l2_protocol_data.name',
    'vl_profile.virtual_link_protocol_data.*.l3_protocol_data.name',
  ],
  [policy('SecurityGroupRule')]: ['description'],
};

/** What becomes of a part that is put in beside the flavour's own: by the model, a refusal, or a warning that names it. */
async function fateOf(name: string, nodes: JsonObject, policies: JsonObject = POLICIES): Promise<string> {
  const [base, now] = [await outcome(NODES, POLICIES), await outcome(nodes, policies)];
  if (now.refused !== '') return 'refused';
  if (now.model !== base.model) return 'used';
  return now.warnings.some((each) => !base.warnings.includes(each) && each.includes(name)) ? 'warned' : 'nothing';
}

/** Requirements of a type and of those that it derives from. */
function requirementsOf(type: string): string[] {
  const own = mapAt(TYPES.node_types, type);
  const names = (Array.isArray(own.requirements) ? own.requirements : []).flatMap((each) => Object.keys(mapAt(each)));
  return [...names, ...(typeof own.derived_from === 'string' ? requirementsOf(own.derived_from) : [])];
}

describe('every requirement of a node type of SOL001', () => {
  // What the VNF itself is linked to, extVirtualLinks of the request say.
  const types = Object.keys(TYPES.node_types ?? {}).filter((type) => type !== nfv('VNF'));
  const all = types.flatMap((type) => requirementsOf(type).map((name) => [type, name] as const));

  test.each(all)('is used, warned of or refused: %s, %s', async (type, requirement) => {
    const [id, node] = Object.entries(NODES).find(([, each]) => each.type === type) ?? ['added', { type }];
    const wanted = { ...NODES, [id]: { ...node, requirements: [{ [requirement]: 'absent' }] } };
    expect(await fateOf(requirement, wanted)).not.toBe('nothing');
  });
});

describe('every operation of an interface of SOL001', () => {
  const operations = Object.entries(section('interface_types')).flatMap(([type, definition]) =>
    Object.keys(mapAt(definition))
      .filter(
        (key) => !['derived_from', 'description', 'inputs', 'operations', 'notifications', 'version', 'metadata'].includes(key),
      )
      .map((operation) => [type, operation] as const),
  );

  test.each(operations)('is called, or told of as one that nothing calls: %s, %s', async (type, operation) => {
    const artifacts = { noop: { type: 'tosca.artifacts.Implementation.Python', file: '../S/noop.py' } };
    const contract = { type, [operation]: { implementation: 'noop' } };
    const wanted = { ...NODES, VNF: { ...NODES.VNF, artifacts, interfaces: { Added: contract } } };
    const told = await fateOf(operation, wanted as JsonObject);
    expect(told === 'nothing' ? await fateOf('Added', wanted as JsonObject) : told).not.toBe('nothing');
  });
});

describe('every property of a type of SOL001', () => {
  const types = ['node_types', 'policy_types'].flatMap((kind) => Object.keys(TYPES[kind] ?? {}));

  test.each(types)('is used, warned of, refused, or there to be read: %s', async (type) => {
    const found = await fates(type);
    const nothing = [...found].filter(([, fate]) => fate === 'nothing').map(([path]) => path);
    expect(nothing.map((path) => path.replace(/^properties\./, ''))).toEqual(TOLD[type] ?? []);
  });
});
