import { Tosca } from '../vnfd/type-tree.js';

/** What becomes of the parts of a node or policy: paths with dots, where `*` is any entry of a list or map, and `0` the first of a list. */
export interface KnownParts {
  /** Types that it is about, or that derive from it. */
  type: string;
  /** Read whatever templates there are. */
  read: readonly string[];
  /** Read where templates are made from the VNFD. */
  made?: readonly string[];
  /** For whoever reads the descriptor: nothing could be made from it, or another part says the same. */
  told?: readonly string[];
  /** Parts that may be a single value, in place of the map that is looked into. */
  single?: readonly string[];
}

const under = (prefix: string, ...names: string[]): string[] => names.map((name) => `${prefix}.${name}`);

const IMAGE_READ = ['name', 'version', 'checksum', 'container_format', 'disk_format', 'min_disk', 'min_ram', 'size'];
const IMAGE_TOLD = ['provider', 'operating_system', 'supported_virtualisation_environments'];
const IMAGE = under('properties.sw_image_data', ...IMAGE_READ);
const IMAGE_BESIDE = under('properties.sw_image_data', ...IMAGE_TOLD);
/** What the artifact of an image may say in place of `sw_image_data`. */
export const IMAGE_ARTIFACT: KnownParts = { type: Tosca.swImage, read: IMAGE_READ, told: IMAGE_TOLD };
const CP_TOLD = [
  'properties.description',
  'properties.protocol.*.associated_layer_protocol',
  ...under('properties.protocol.*.address_data.*', 'address_type', 'l2_address_data.mac_address_assignment'),
  ...under('properties.protocol.*.address_data.*.l3_address_data', 'ip_address_assignment', 'ip_address_type'),
];
const FLOATING = 'properties.protocol.*.address_data.*.l3_address_data.floating_ip_activated';
const COMPUTE = 'capabilities.virtual_compute.properties';
/** A map of capabilities by ETSI; packages in use give the one capability's own fields. */
const CAPABILITY = ['*', ''].map((entry) => `${COMPUTE}.requested_additional_capabilities${entry && `.${entry}`}`);
const L3 = 'properties.vl_profile.virtual_link_protocol_data.*.l3_protocol_data';
const L2 = 'properties.vl_profile.virtual_link_protocol_data.*.l2_protocol_data';

export const KNOWN_NODES: readonly KnownParts[] = [
  {
    type: Tosca.vnf,
    read: [
      ...under('properties', 'descriptor_id', 'descriptor_version', 'provider', 'product_name', 'software_version'),
      ...under('properties', 'vnfm_info', 'flavour_id', 'flavour_description'),
      ...['interfaces', 'artifacts', 'requirements', 'capabilities'],
    ],
    told: under(
      'properties',
      'product_info_name',
      'product_info_description',
      'localization_languages',
      'default_localization_language',
    ),
  },
  {
    type: Tosca.compute,
    read: [
      ...under('properties', 'name', 'description'),
      ...under('properties.vdu_profile', 'min_number_of_instances', 'max_number_of_instances'),
      ...IMAGE,
      ...under(COMPUTE, 'virtual_memory.virtual_mem_size', 'virtual_cpu.num_virtual_cpu'),
      ...CAPABILITY.map((path) => `${path}.requested_additional_capability_name`),
      `${COMPUTE}.virtual_local_storage.0.size_of_storage`,
      ...['requirements.virtual_storage', 'artifacts'],
    ],
    made: [
      ...under('properties', 'boot_order', 'meta_data'),
      ...under('properties.boot_data.content_or_file_data', 'content', 'source_path'),
    ],
    single: ['properties.boot_data'],
    told: [
      ...IMAGE_BESIDE,
      'capabilities.virtual_binding',
      ...CAPABILITY.flatMap((path) => under(path, 'support_mandatory', 'target_performance_parameters')),
    ],
  },
  {
    type: Tosca.blockStorage,
    read: ['properties.virtual_block_storage_data.size_of_storage', ...IMAGE, 'artifacts'],
    told: [...IMAGE_BESIDE, 'capabilities.virtual_storage'],
  },
  {
    type: Tosca.vduCp,
    read: [...under('properties', 'layer_protocols', 'order'), ...under('requirements', 'virtual_link', 'virtual_binding')],
    made: [...under('properties', 'vnic_type', 'allowed_address_pairs'), FLOATING],
    told: CP_TOLD,
  },
  {
    type: Tosca.vipCp,
    read: ['properties.layer_protocols', ...under('requirements', 'virtual_link', 'target')],
    made: under('properties', 'vnic_type', 'allowed_address_pairs'),
    told: [...CP_TOLD, 'properties.vip_function'],
  },
  {
    type: Tosca.virtualLink,
    read: ['properties.description'],
    made: [
      'properties.connectivity_type.layer_protocols',
      `${L2}.mtu`,
      ...under(L3, 'ip_version', 'cidr', 'gateway_ip', 'dhcp_enabled', 'ipv6_address_mode', 'ip_allocation_pools'),
    ],
    told: [
      'properties.vl_profile.virtual_link_protocol_data.*.associated_layer_protocol',
      `${L2}.name`,
      `${L3}.name`,
      'capabilities.virtual_linkable',
    ],
  },
];

const policy = (type: string, ...read: string[]): KnownParts => ({
  type,
  read: ['targets', ...read.map((path) => `properties.${path}`)],
  told: ['properties.description'],
});

export const KNOWN_POLICIES: readonly KnownParts[] = [
  policy(Tosca.scalingAspects, ...under('aspects.*', 'name', 'description', 'max_scale_level', 'step_deltas')),
  policy(Tosca.initialDelta, 'initial_delta.number_of_instances'),
  policy(Tosca.scalingDeltas, 'aspect', 'deltas.*.number_of_instances'),
  policy(Tosca.instantiationLevels, 'default_level', ...under('levels.*', 'description', 'scale_info.*.scale_level')),
  policy(Tosca.vduLevels, 'levels.*.number_of_instances'),
  policy(Tosca.linkLevels),
  policy(Tosca.affinity, 'scope'),
  policy(Tosca.antiAffinity, 'scope'),
  {
    type: Tosca.securityGroupRule,
    read: [],
    made: ['targets', ...under('properties', 'direction', 'ether_type', 'protocol', 'port_range_min', 'port_range_max')],
    told: ['properties.description'],
  },
];

/** Keys of a file, of its topology, of substitution_mappings and of a node template that TOSCA has; those of a node template beside the ones that {@link KNOWN_NODES} are about. */
export const KEYS = {
  file: [
    ...['tosca_definitions_version', 'description', 'metadata', 'namespace', 'dsl_definitions', 'repositories', 'imports'],
    ...['artifact_types', 'data_types', 'capability_types', 'interface_types', 'relationship_types', 'node_types'],
    ...['group_types', 'policy_types', 'topology_template', 'template_name', 'template_author', 'template_version'],
  ],
  mappings: ['node_type', 'substitution_filter', 'properties', 'attributes', 'capabilities', 'requirements', 'interfaces'],
  topology: ['description', 'inputs', 'node_templates', 'groups', 'policies', 'substitution_mappings'],
  node: [
    'type',
    'description',
    'metadata',
    'properties',
    'attributes',
    'requirements',
    'capabilities',
    'artifacts',
    'interfaces',
  ],
  policy: ['type', 'description', 'metadata', 'properties', 'targets'],
  group: ['type', 'description', 'metadata', 'properties', 'members'],
} as const;
