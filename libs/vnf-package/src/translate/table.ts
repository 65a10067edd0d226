import { Tosca } from '../vnfd/type-tree.js';

/** One thing that a VNFD may say, and what becomes of it. The table of docs/guides/tosca-only-packages.md has these rows. */
export type TranslationRow = Translated | LeftOut | Refused;

interface Row {
  /** As the table has it: a type, and the property of it. */
  tosca: string;
  /** For whoever reads the table, the warning or the refusal. */
  note: string;
}

export interface Translated extends Row {
  kind: 'translated';
  /** Resource types and properties that are made from it: `OS::Neutron::Subnet cidr`. */
  heat: string[];
}

/** The package is onboarded with a warning that names the node. */
export interface LeftOut extends Row {
  kind: 'left-out';
  of: { type: string; path: string[] };
}

/** The package is refused, by the name of the node or policy. `note` says what to do. */
export interface Refused extends Row {
  kind: 'refused';
  /** Node types that have no resource; absent where a check of its own refuses. */
  type?: string;
}

const translated = (tosca: string, heat: string[], note = ''): Translated => ({ kind: 'translated', tosca, heat, note });
const short = (type: string): string => type.replace(/^tosca\.(nodes|policies|groups)\.nfv\./, '');
/** A path without what every path has: `protocol.address_data.l3_address_data`. */
export const nameOfPart = (path: readonly string[]): string =>
  path.filter((key) => key !== 'properties' && key !== '*').join('.');
const leftOut = (type: string, path: string[], note: string): LeftOut => ({
  kind: 'left-out',
  tosca: `${short(type)}: ${nameOfPart(path)}`,
  of: { type, path },
  note,
});
const refused = (tosca: string, note: string, type?: string): Refused => ({
  kind: 'refused',
  tosca,
  note,
  ...(type === undefined ? {} : { type }),
});

const inCompute = (...path: string[]): string[] => ['capabilities', 'virtual_compute', 'properties', ...path];

export const TRANSLATED: readonly Translated[] = [
  translated('Vdu.Compute', ['OS::Nova::Server networks'], 'one nested template a VDU, with its ports and volumes'),
  translated(
    'Vdu.Compute: sw_image_data',
    ['OS::Nova::Server image'],
    'uploaded, or found in the VIM by its name, as with BaseHOT',
  ),
  translated(
    'Vdu.Compute: virtual_compute',
    ['OS::Nova::Server flavor'],
    'the flavor that the grant names; else requested_additional_capability_name; else the smallest of the VIM that has virtual_cpu, virtual_memory and the first of virtual_local_storage',
  ),
  translated(
    'Vdu.Compute: boot_data',
    ['OS::Nova::Server user_data', 'OS::Nova::Server user_data_format'],
    'the text, the content of the member that it names, or content_or_file_data.content',
  ),
  translated('Vdu.Compute: meta_data', ['OS::Nova::Server metadata'], 'no property of SOL001, but one that packages have'),
  translated(
    'Vdu.Compute: requirement virtual_storage',
    ['OS::Nova::Server block_device_mapping_v2'],
    'a volume of each server; it boots from the first of boot_order that has an image, else from its own image, else from the first volume with one',
  ),
  translated('Vdu.VirtualBlockStorage: size_of_storage', ['OS::Cinder::Volume size'], 'GiB, rounded up'),
  translated('Vdu.VirtualBlockStorage: sw_image_data', ['OS::Cinder::Volume image']),
  translated(
    'VduCp without virtual_link',
    ['OS::Neutron::Port network'],
    'the network of the extVirtualLinks entry that names it',
  ),
  translated('VduCp with virtual_link', ['OS::Neutron::Port network'], 'the network of the VnfVirtualLink'),
  translated('VduCp: addresses of the request', ['OS::Neutron::Port fixed_ips'], 'or additionalParams.nfv.CP.<cp>.fixed_ips'),
  translated('VduCp: order', ['OS::Nova::Server networks'], 'the order of the ports; those without come last'),
  translated('VduCp: vnic_type', ['OS::Neutron::Port binding:vnic_type'], 'virtio is normal'),
  translated('VduCp: allowed_address_pairs', ['OS::Neutron::Port allowed_address_pairs']),
  translated(
    'VduCp: protocol.address_data.l3_address_data.floating_ip_activated',
    ['OS::Neutron::FloatingIP port_id', 'OS::Neutron::FloatingIP floating_network'],
    'additionalParams.floating_network names the network',
  ),
  translated(
    'VipCp',
    ['OS::Neutron::Port network', 'OS::Neutron::Port allowed_address_pairs'],
    'a port of the VNF, whose address each target may use',
  ),
  translated('VnfVirtualLink', ['OS::Neutron::Net name'], 'none where extManagedVirtualLinks gives its network'),
  translated('VnfVirtualLink: l3_protocol_data', [
    'OS::Neutron::Subnet cidr',
    'OS::Neutron::Subnet ip_version',
    'OS::Neutron::Subnet gateway_ip',
    'OS::Neutron::Subnet enable_dhcp',
    'OS::Neutron::Subnet allocation_pools',
    'OS::Neutron::Subnet ipv6_address_mode',
  ]),
  translated('VnfVirtualLink: l2_protocol_data.mtu', ['OS::Neutron::Net value_specs']),
  translated(
    'ScalingAspects, VduInitialDelta, VduScalingAspectDeltas, InstantiationLevels, VduInstantiationLevels',
    [
      'OS::Heat::AutoScalingGroup min_size',
      'OS::Heat::AutoScalingGroup max_size',
      'OS::Heat::AutoScalingGroup desired_capacity',
      'OS::Heat::AutoScalingGroup resource',
    ],
    'a group for each VDU that may be wanted in another number than one',
  ),
  translated(
    'AffinityRule, AntiAffinityRule with scope nfvi_node',
    ['OS::Nova::ServerGroup policies', 'OS::Nova::Server scheduler_hints'],
    'PlacementGroups are resolved',
  ),
  translated('AffinityRule, AntiAffinityRule with scope zone', ['OS::Nova::Server availability_zone'], 'the zones of the grant'),
  translated(
    'SecurityGroupRule',
    ['OS::Neutron::SecurityGroup rules', 'OS::Neutron::Port security_groups'],
    'one group for each connection point that rules target',
  ),
];

const FLAVOR = 'name a Nova flavor that has it';
const CHOSEN_BY_VIM = 'the VIM chooses it';
const NO_BIT_RATE = 'no bit rate is kept';
const PROTOCOL = ['properties', 'vl_profile', 'virtual_link_protocol_data', '*'];
const ADDRESS = ['properties', 'protocol', '*', 'address_data', '*'];
const ADDRESSES_OF_REQUEST = 'give addresses in extVirtualLinks of the request';

const ofCps = (type: string): LeftOut[] => [
  leftOut(type, ['properties', 'role'], 'no network has roots and leaves'),
  leftOut(type, ['properties', 'trunk_mode'], 'no trunk is made'),
  leftOut(type, [...ADDRESS, 'l3_address_data', 'number_of_ip_address'], ADDRESSES_OF_REQUEST),
  leftOut(type, [...ADDRESS, 'l3_address_data', 'fixed_ip_address'], ADDRESSES_OF_REQUEST),
];

/** Of a subnet of IPv6 it is translated. */
export const MODE_OF_IPV4: Row = {
  tosca: 'VnfVirtualLink: l3_protocol_data.ipv6_address_mode beside ip_version ipv4',
  note: 'it is of IPv6 alone',
};

export const LEFT_OUT: readonly LeftOut[] = [
  leftOut(Tosca.vnf, ['properties', 'monitoring_parameters'], 'nothing is monitored'),
  leftOut(Tosca.vnf, ['properties', 'lcm_operations_configuration'], 'operations have what SOL003 gives them, whatever it says'),
  leftOut(
    Tosca.vnf,
    ['properties', 'vnf_profile'],
    'a request names the level, or default_level of the InstantiationLevels does',
  ),
  leftOut(Tosca.vnf, ['properties', 'configurable_properties'], 'nothing is configured by it'),
  leftOut(Tosca.vnf, ['properties', 'modifiable_attributes'], 'MODIFY_INFO takes any metadata and extensions'),
  leftOut(Tosca.compute, ['properties', 'monitoring_parameters'], 'nothing is monitored'),
  leftOut(Tosca.compute, ['properties', 'configurable_properties'], 'nothing is configured by it'),
  leftOut(Tosca.compute, ['properties', 'nfvi_constraints'], 'name a Nova flavor that has them'),
  leftOut(Tosca.compute, ['properties', 'inject_files'], 'write files by boot_data'),
  ...[
    ['kvp_data'],
    ['vim_specific_properties'],
    ['content_or_file_data', 'data'],
    ['content_or_file_data', 'destination_path'],
  ].map((part) =>
    leftOut(Tosca.compute, ['properties', 'boot_data', ...part], 'write it into content_or_file_data.content, for cloud-init'),
  ),
  leftOut(Tosca.compute, inCompute('logical_node'), 'name a Nova flavor that has them'),
  leftOut(Tosca.compute, inCompute('compute_requirements'), 'name a Nova flavor that has them'),
  leftOut(Tosca.compute, inCompute('virtual_cpu', 'virtual_cpu_pinning'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_cpu', 'cpu_architecture'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_cpu', 'virtual_cpu_clock'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_cpu', 'virtual_cpu_oversubscription_policy'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_cpu', 'vdu_cpu_requirements'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_memory', 'numa_enabled'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_memory', 'virtual_mem_oversubscription_policy'), FLAVOR),
  leftOut(Tosca.compute, inCompute('virtual_memory', 'vdu_mem_requirements'), FLAVOR),
  ...['min_requested_additional_capability_version', 'preferred_requested_additional_capability_version'].map((name) =>
    leftOut(Tosca.compute, inCompute('requested_additional_capabilities', '*', name), 'the flavor is taken by its name alone'),
  ),
  leftOut(Tosca.compute, inCompute('virtual_local_storage', '*'), 'of the first, its size is looked at alone, and of others nothing: name a Nova flavor that has them'), // prettier-ignore
  leftOut(Tosca.blockStorage, ['properties', 'virtual_block_storage_data', 'rdma_enabled'], 'the VIM chooses the volume type'),
  leftOut(
    Tosca.blockStorage,
    ['properties', 'virtual_block_storage_data', 'vdu_storage_requirements'],
    'the VIM chooses the volume type',
  ),
  leftOut(Tosca.vduCp, ['properties', 'bitrate_requirement'], NO_BIT_RATE),
  leftOut(Tosca.vduCp, ['properties', 'virtual_network_interface_requirements'], 'name a Nova flavor that has them'),
  ...ofCps(Tosca.vduCp),
  ...ofCps(Tosca.vipCp),
  leftOut(Tosca.virtualLink, ['properties', 'monitoring_parameters'], 'nothing is monitored'),
  leftOut(Tosca.virtualLink, ['properties', 'test_access'], 'there is none'),
  leftOut(Tosca.virtualLink, ['properties', 'connectivity_type', 'flow_pattern'], CHOSEN_BY_VIM),
  leftOut(Tosca.virtualLink, ['properties', 'vl_profile', 'qos'], 'no quality of service is kept'),
  leftOut(Tosca.virtualLink, ['properties', 'vl_profile', 'max_bitrate_requirements'], NO_BIT_RATE),
  leftOut(Tosca.virtualLink, ['properties', 'vl_profile', 'min_bitrate_requirements'], NO_BIT_RATE),
  leftOut(Tosca.virtualLink, [...PROTOCOL, 'l2_protocol_data', 'network_type'], CHOSEN_BY_VIM),
  leftOut(Tosca.virtualLink, [...PROTOCOL, 'l2_protocol_data', 'vlan_transparent'], CHOSEN_BY_VIM),
  leftOut(Tosca.linkLevels, ['properties', 'levels', '*', 'bitrate_requirements'], NO_BIT_RATE),
];

/** Of a policy of another type than those of the table. */
export const OTHER_POLICY: Row = { tosca: 'any other policy', note: 'nothing is made from it' };

export const REFUSED_NODES: readonly (Refused & { type: string })[] = [
  [Tosca.objectStorage, 'no server can attach it: make it apart, or leave the requirement out'],
  [Tosca.fileStorage, 'no server can attach it: make it apart, or leave the requirement out'],
  [Tosca.extCp, 'map the VduCp to the external virtual link in substitution_mappings instead'],
].map(([type = '', note = '']) => ({ ...refused(short(type), note, type), type }));

export const REFUSED = {
  otherNode: refused('any other node type', 'only VMs, their ports, volumes and networks are made'),
  name: refused(
    'a name that Heat takes for no resource',
    'use letters, digits, "_", "-" and ".", beginning with a letter or a digit, at most 100',
  ),
  noImage: refused('Vdu.Compute without an image', 'give it sw_image_data, or a VirtualBlockStorage that has it'),
  noSize: refused('Vdu.VirtualBlockStorage without a size', 'give virtual_block_storage_data.size_of_storage'),
  smallVolume: refused(
    'Vdu.VirtualBlockStorage smaller than min_disk of its image',
    'raise size_of_storage, or lower sw_image_data.min_disk',
  ),
  twoGroups: refused('a VDU in two rules of scope nfvi_node', 'Nova takes one server group for a server: merge the rules'),
  apartInVim: refused('AntiAffinityRule with scope nfvi_pop', 'a VNF lies in one VIM: use nfvi_node or zone'),
  linkWithoutIp: refused('VnfVirtualLink with other protocols than Ethernet and IP', 'use ethernet, ipv4 or ipv6'),
  bootOrder: refused('Vdu.Compute: boot_order', 'its first entry should be a storage of the VDU that has an image'),
} satisfies Record<string, Refused>;

/** Every row, in the order of the table. */
export const TABLE: readonly TranslationRow[] = [
  ...TRANSLATED,
  ...LEFT_OUT,
  { ...MODE_OF_IPV4, kind: 'left-out', of: { type: '', path: [] } },
  { ...OTHER_POLICY, kind: 'left-out', of: { type: '', path: [] } },
  ...REFUSED_NODES,
  ...Object.values(REFUSED),
];
