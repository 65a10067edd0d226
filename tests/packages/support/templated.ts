import type { JsonObject } from '@windlass/foundation';
import { sha256, VNFD_ID, type PackageFiles } from '@windlass/vnf-package/testing';
import { changed, type Change } from './shapes.js';

/** A package with templates: its parts, and the initial number of VMs of each VDU. */
export interface Templated {
  files: PackageFiles;
  /** The initial number of VMs of each VDU, by the flavour, in the VNFD's order. */
  begins: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The aspect that scales the first VDU; absent where no group makes the VDU. */
  aspect?: string;
  scales?: string;
  /** The additional parameters of the request. */
  additionalParams?: JsonObject;
}

interface VduParts {
  id: string;
  /** The name of `sw_image_data`, and the bytes of which it has the hash. */
  image?: { name: string; bytes?: string };
  artifacts?: string;
  requirements?: string;
  initial?: number;
}

const sizes = 'container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 0 B';
const imageData = ({ name, bytes = '' }: { name: string; bytes?: string }): string =>
  `sw_image_data: { name: ${name}, version: '1', checksum: { algorithm: sha-256, hash: ${sha256(bytes)} }, ${sizes} }`;

const vdu = ({ id, image = { name: 'cirros' }, artifacts = '', requirements = '' }: VduParts): string => `    ${id}:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        ${imageData(image)}
${artifacts === '' ? '' : `      artifacts: ${artifacts}\n`}${requirements === '' ? '' : `      requirements: ${requirements}\n`}      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }
    ${id}_CP:
      type: tosca.nodes.nfv.VduCp
      requirements: [ { virtual_binding: ${id} } ]
`;

const IMPORTS = '[ etsi_nfv_sol001_common_types.yaml, etsi_nfv_sol001_vnfd_types.yaml ]';
const HEAD = `tosca_definitions_version: tosca_simple_yaml_1_2\nimports: `;
const VNF = `    VNF:
      type: tosca.nodes.nfv.VNF
      properties: { descriptor_id: ${VNFD_ID}, provider: Corpus, product_name: Shapes, software_version: '1', descriptor_version: '1' }
`;
const initialDelta = ({ id, initial = 1 }: VduParts): string =>
  `    - ${id}_initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: ${initial} } }, targets: [ ${id} ] }\n`;

/** A flavour whose one aspect scales the first VDU by one, at most twice. */
function flavour(vdus: readonly VduParts[], { id = 'default', vnf = VNF, imports = IMPORTS, nodes = '' } = {}): string {
  const [first] = vdus;
  return `${HEAD}${imports}
topology_template:
  substitution_mappings: { node_type: tosca.nodes.nfv.VNF, properties: { flavour_id: ${id} } }
  node_templates:
${vnf}${vdus.map(vdu).join('')}${nodes}  policies:
    - aspects: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { more: { max_scale_level: 2, step_deltas: [ one ] } } } }
${vdus.map(initialDelta).join('')}    - steps: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: more, deltas: { one: { number_of_instances: 1 } } }, targets: [ ${first?.id ?? ''} ] }
    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { levels: { begin: { description: the first, scale_info: { more: { scale_level: 0 } } } }, default_level: begin } }
`;
}

const HOT = 'heat_template_version: 2013-05-23\n';
const PARAMETERS = 'parameters: { flavor: { type: string }, image: { type: string }, net: { type: string } }\n';
const TOP = `${HOT}parameters:\n  nfv: { type: json }\nresources:\n`;

/** A server and its port, with properties from the given sources. */
const server = (
  id: string,
  from: (what: 'flavor' | 'image' | 'network') => string,
  more = '',
  properties = '',
): string => `  ${id}:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: ${from('flavor')} }
      image: { get_param: ${from('image')} }
      networks: [ { port: { get_resource: ${id}_CP } } ]
${properties}  ${id}_CP:
    type: OS::Neutron::Port
    properties: { network: { get_param: ${from('network')} } }
${more}`;
const ofNfv =
  (id: string) =>
  (what: string): string =>
    what === 'network' ? `[ nfv, CP, ${id}_CP, network ]` : `[ nfv, VDU, ${id}, ${what} ]`;
const ofParameters = (what: string): string => (what === 'network' ? 'net' : what);
const single = (id: string, ...more: string[]): string => server(id, ofNfv(id), ...more);
const member = (id: string, more = ''): string => `${HOT}${PARAMETERS}resources:\n${server(id, ofParameters, more)}`;
const passed = (id: string, more = ''): string =>
  `{ ${more}flavor: { get_param: [ nfv, VDU, ${id}, flavor ] }, image: { get_param: [ nfv, VDU, ${id}, image ] }, net: { get_param: [ nfv, CP, ${id}_CP, network ] } }`;
const group = (id: string, file: string, begin = 1, more = ''): string => `  more:
    type: OS::Heat::AutoScalingGroup
    properties: { min_size: ${begin}, max_size: ${begin + 2}, desired_capacity: ${begin}, resource: { type: ${file}, properties: ${passed(id, more)} } }
`;
const floating = (id: string): string =>
  `  ${id}_FloatingIP: { type: OS::Neutron::FloatingIP, properties: { floating_network: public, port_id: { get_resource: ${id}_CP } } }\n`;

/** Resources as in the reference system's samples: a port with the shared address on a named network, and a group named by the request. */
const SHARED = `  vip_CP: { type: OS::Neutron::Port, properties: { network: net0 } }
  apart: { type: OS::Nova::ServerGroup, properties: { name: { get_param: node_group }, policies: [ anti-affinity ] } }
`;
const SHARING = 'vip: { get_attr: [ vip_CP, fixed_ips, 0, ip_address ] }, group: { get_resource: apart }, ';
const APART = member('node')
  .replace('parameters: {', 'parameters: { vip: { type: string }, group: { type: string },')
  .replace('    properties:\n', '    properties:\n      scheduler_hints: { group: { get_param: group } }\n')
  .replace('{ network: {', '{ allowed_address_pairs: [ { ip_address: { get_param: vip } } ], network: {');

const META = 'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: corpus\nEntry-Definitions: Definitions/top.yaml\n';
const SCRIPT = '#!/bin/sh\necho ready\n';
const claim = (key: 'Name' | 'Source', path: string, content: string): string =>
  `\n${key}: ${path}\nAlgorithm: SHA-256\nHash: ${sha256(content)}\n`;
const GROUPED = {
  'BaseHOT/default/top.yaml': `${TOP}${group('web', 'web.yaml')}`,
  'BaseHOT/default/nested/web.yaml': member('web'),
};
const one = { begins: { default: { web: 1 } }, aspect: 'more', scales: 'web' };

const [WEB_IMAGE, DB_IMAGE, DISK_IMAGE] = [
  'an image of the web servers\n',
  'an image of the database\n',
  'what a disk begins with\n',
];
const swImage = (file: string): string => `{ sw_image: { type: tosca.artifacts.nfv.SwImage, file: ../Files/images/${file} } }`;
const DISK = `    db_disk:
      type: tosca.nodes.nfv.Vdu.VirtualBlockStorage
      properties:
        virtual_block_storage_data: { size_of_storage: 1 GB }
        ${imageData({ name: 'corpus-disk', bytes: DISK_IMAGE })}
      artifacts: ${swImage('disk.img')}
`;
const VOLUME = `  db_disk: { type: OS::Cinder::Volume, properties: { size: 1, image: { get_param: [ nfv, VDU, db_disk, image ] } } }\n`;
const ATTACHED =
  '      block_device_mapping_v2: [ { device_name: vdb, volume_id: { get_resource: db_disk }, boot_index: -1 } ]\n';

const [SMALL, LARGE] = [[{ id: 'web' }], [{ id: 'web', initial: 2 }, { id: 'db' }]];
const topOf = (files: readonly string[]): string =>
  `${HEAD}[ etsi_nfv_sol001_common_types.yaml, etsi_nfv_sol001_vnfd_types.yaml, ${files.join(', ')} ]\ntopology_template:\n  node_templates:\n${VNF}`;

export const TEMPLATED: Readonly<Record<string, Templated>> = {
  'hashes in a manifest': {
    ...one,
    files: {
      'TOSCA-Metadata/TOSCA.meta': `${META}ETSI-Entry-Manifest: corpus.mf\n`,
      'corpus.mf': `metadata:\n  vnf_product_name: Shapes\n  vnf_provider_id: Corpus\n${claim('Source', 'Scripts/start.sh', SCRIPT)}${claim('Source', 'BaseHOT/default/nested/web.yaml', member('web'))}`,
      'Definitions/top.yaml': flavour([{ id: 'web' }]),
      'Scripts/start.sh': SCRIPT,
      ...GROUPED,
    },
  },
  'hashes in TOSCA.meta alone': {
    ...one,
    files: {
      'TOSCA-Metadata/TOSCA.meta': `${META}\nName: Files/images/cirros.img\nContent-Type: application/x-iso9066-image\n${claim('Name', 'Scripts/start.sh', SCRIPT)}`,
      'Definitions/top.yaml': flavour([{ id: 'web', artifacts: swImage('cirros.img') }]),
      'Scripts/start.sh': SCRIPT,
      ...GROUPED,
    },
  },
  'a VNFD at its root': {
    ...one,
    files: {
      'corpus.yaml': flavour([{ id: 'web' }]),
      'corpus.mf': `metadata:\n  vnf_product_name: Shapes\n${claim('Source', 'Scripts/start.sh', SCRIPT)}`,
      'Scripts/start.sh': SCRIPT,
      ...GROUPED,
    },
  },
  'artifacts in short notation': {
    ...one,
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': flavour([
        { id: 'web', image: { name: 'corpus-web', bytes: WEB_IMAGE }, artifacts: '{ sw_image: ../Files/images/web.img }' },
      ]),
      'Files/images/web.img': WEB_IMAGE,
      ...GROUPED,
    },
  },
  'several images': {
    begins: { default: { web: 1, db: 1 } },
    aspect: 'more',
    scales: 'web',
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': flavour(
        [
          { id: 'web', image: { name: 'corpus-web', bytes: WEB_IMAGE }, artifacts: swImage('web.img') },
          {
            id: 'db',
            image: { name: 'corpus-db', bytes: DB_IMAGE },
            artifacts: swImage('db.img'),
            requirements: '[ { virtual_storage: db_disk } ]',
          },
        ],
        { nodes: DISK },
      ),
      'Files/images/web.img': WEB_IMAGE,
      'Files/images/db.img': DB_IMAGE,
      'Files/images/disk.img': DISK_IMAGE,
      'BaseHOT/default/top.yaml': `${TOP}${group('web', 'web.yaml')}${single('db', VOLUME, ATTACHED)}`,
      'BaseHOT/default/nested/web.yaml': member('web'),
    },
  },
  'templates in templates': {
    ...one,
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': flavour([{ id: 'web' }]),
      'BaseHOT/default/top.yaml': `${TOP}${group('web', 'member.yaml')}`,
      'BaseHOT/default/nested/member.yaml': `${HOT}${PARAMETERS}resources:
  part: { type: part.yaml, properties: { flavor: { get_param: flavor }, image: { get_param: image }, net: { get_param: net } } }
`,
      'BaseHOT/default/nested/part.yaml': `${HOT}${PARAMETERS}resources:
  front: { type: front.yaml, properties: { net: { get_param: net } } }
  web:
    type: OS::Nova::Server
    properties: { flavor: { get_param: flavor }, image: { get_param: image }, networks: [ { port: { get_attr: [ front, port ] } } ] }
`,
      'BaseHOT/default/nested/front.yaml': `${HOT}parameters: { net: { type: string } }
resources:
  web_CP: { type: OS::Neutron::Port, properties: { network: { get_param: net } } }
outputs: { port: { value: { get_resource: web_CP } } }
`,
    },
  },
  'several flavours': {
    begins: { small: { web: 1 }, large: { web: 2, db: 1 } },
    aspect: 'more',
    scales: 'web',
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': topOf(['small.yaml', 'large.yaml']),
      'Definitions/small.yaml': flavour(SMALL, { id: 'small', vnf: '' }),
      'Definitions/large.yaml': flavour(LARGE, { id: 'large', vnf: '' }),
      'BaseHOT/small/top.yaml': `${TOP}${group('web', 'web.yaml')}`,
      'BaseHOT/small/nested/web.yaml': member('web'),
      'BaseHOT/large/top.yaml': `${TOP}${group('web', 'web.yaml', 2)}${single('db')}`,
      'BaseHOT/large/nested/web.yaml': member('web'),
    },
  },
  'a load balancer and floating addresses': {
    begins: { default: { node: 2, balancer: 1 } },
    aspect: 'more',
    scales: 'node',
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': flavour([{ id: 'node', initial: 2 }, { id: 'balancer' }]),
      'BaseHOT/default/top.yaml': `${TOP}${group('node', 'node.yaml', 2)}${single('balancer', floating('balancer'))}`,
      'BaseHOT/default/nested/node.yaml': member('node', floating('node')),
    },
  },
  'a virtual address, and VMs that are kept apart': {
    begins: { default: { node: 2 } },
    aspect: 'more',
    scales: 'node',
    additionalParams: { node_group: 'apart' },
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': flavour([{ id: 'node', initial: 2 }]),
      'BaseHOT/default/top.yaml': `${TOP.replace('resources:', '  node_group: { type: string }\nresources:')}${SHARED}${group('node', 'node.yaml', 2, SHARING)}`,
      'BaseHOT/default/nested/node.yaml': APART,
    },
  },
  'a template for a VDU that no group multiplies': {
    begins: { default: { web: 1 } },
    files: {
      'TOSCA-Metadata/TOSCA.meta': META,
      'Definitions/top.yaml': flavour([{ id: 'web' }]),
      'BaseHOT/default/top.yaml': `${TOP}  web: { type: web.yaml, properties: ${passed('web')} }\n`,
      'BaseHOT/default/nested/web.yaml': member('web'),
    },
  },
};

/** The files of a package with templates, with changes. */
export const templated = (name: string, ...changes: readonly Change[]): PackageFiles =>
  changed(name, { ...TEMPLATED[name]?.files }, changes);
