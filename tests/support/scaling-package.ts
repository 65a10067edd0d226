import { singleFileVnfd, zipOf } from '@windlass/vnf-package/testing';

const VDUS = ['web', 'db', 'node'] as const;

const vdu = (name: string): string => `    ${name}:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        sw_image_data:
          { name: cirros, version: 0.5.2, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }
    ${name}_CP:
      type: tosca.nodes.nfv.VduCp
      requirements: [ { virtual_binding: ${name} } ]
`;

const initial = (name: string, instances: number): string =>
  `    - ${name}_initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: ${instances} } }, targets: [ ${name} ] }\n`;

const delta = (aspect: string, name: string, instances: number): string =>
  `    - ${aspect}_${name}: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: ${aspect}, deltas: { step: { number_of_instances: ${instances} } } }, targets: [ ${name} ] }\n`;

const level = (name: string, pair: number, worker: number): string =>
  `${name}: { description: ${name}, scale_info: { pair: { scale_level: ${pair} }, worker: { scale_level: ${worker} } } }`;

/**
 * A step of `pair` adds one web and two db, of `worker` one node, of `none` nothing, of `lone` servers that no group makes. The level `wide` has a step of the
 * first and two of the second, `tall` two of the first alone.
 */
const POLICIES = [
  `    - aspects: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { pair: { max_scale_level: 2, step_deltas: [ step ] }, worker: { max_scale_level: 3, step_deltas: [ step ] }, none: { max_scale_level: 1, step_deltas: [ step ] }, lone: { max_scale_level: 1, step_deltas: [ step ] } } } }\n`,
  initial('web', 1),
  initial('db', 1),
  initial('node', 1),
  initial('VDU1', 1),
  delta('pair', 'web', 1),
  delta('pair', 'db', 2),
  delta('worker', 'node', 1),
  delta('lone', 'VDU1', 1),
  `    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { levels: { ${level('small', 0, 0)}, ${level('wide', 1, 2)}, ${level('tall', 2, 0)} }, default_level: small } }\n`,
].join('');

const group = (name: string, max: number): string => `  ${name}_group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: ${max}
      desired_capacity: 1
      resource:
        type: ${name}.yaml
        properties:
          flavor: { get_param: [ nfv, VDU, ${name}, flavor ] }
          image: { get_param: [ nfv, VDU, ${name}, image ] }
          net: { get_param: [ nfv, CP, ${name}_CP, network ] }
`;

const member = (name: string): string => `heat_template_version: 2013-05-23
parameters:
  flavor: { type: string }
  image: { type: string }
  net: { type: string }
resources:
  ${name}:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: flavor }
      image: { get_param: image }
      networks: [ { port: { get_resource: ${name}_CP } } ]
  ${name}_CP:
    type: OS::Neutron::Port
    properties: { network: { get_param: net } }
`;

const TOP = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  VDU1:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: [ nfv, VDU, VDU1, flavor ] }
      image: { get_param: [ nfv, VDU, VDU1, image ] }
      networks: [ { port: { get_resource: VDU1_CP1 } } ]
  VDU1_CP1:
    type: OS::Neutron::Port
    properties: { network: { get_param: [ nfv, CP, VDU1_CP1, network ] } }
${group('web', 3)}${group('db', 5)}${group('node', 4)}`;

/** A VNF without hooks: one server of its own, and three groups that two aspects scale. */
export const scalingPackage = (
  vnfdId: string,
  change: (vnfd: string) => string = (vnfd) => vnfd,
  changeTop: (template: string) => string = (template) => template,
): Buffer =>
  zipOf({
    'TOSCA-Metadata/TOSCA.meta':
      'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: Definitions/top.yaml\n',
    'Definitions/top.yaml': change(
      singleFileVnfd({
        vnfProperties: `{ descriptor_id: ${vnfdId}, provider: Me, product_name: Scaling, software_version: 1.0, descriptor_version: 1.0 }`,
        nodes: VDUS.map(vdu).join(''),
        policies: POLICIES,
      }),
    ),
    'BaseHOT/default/top.yaml': changeTop(TOP),
    ...Object.fromEntries(VDUS.map((name) => [`BaseHOT/default/${name}.yaml`, member(name)])),
  });

/** The same VNFD without an aspect for the nodes: the levels alone say how many nodes there are. */
export const nodesByLevel = (vnfd: string): string =>
  vnfd.replace(
    delta('worker', 'node', 1),
    `    - nodes: { type: tosca.policies.nfv.VduInstantiationLevels, properties: { levels: { small: { number_of_instances: 1 }, wide: { number_of_instances: 3 }, tall: { number_of_instances: 1 } } }, targets: [ node ] }\n`,
  );

/** The request of v1 that instantiates this VNF on one network. */
export const scalingRequest = (networkId: string) => ({
  flavourId: 'default',
  extVirtualLinks: [
    {
      id: 'net',
      resourceId: networkId,
      extCps: ['VDU1_CP1', ...VDUS.map((name) => `${name}_CP`)].map((cpdId) => ({
        cpdId,
        cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
      })),
    },
  ],
});

/** The request of v2: configurations of connection points are keyed. */
export const scalingRequestV2 = (networkId: string) => {
  const { flavourId, extVirtualLinks } = scalingRequest(networkId);
  return {
    flavourId,
    extVirtualLinks: extVirtualLinks.map((link) => ({
      ...link,
      extCps: link.extCps.map(({ cpdId, cpConfig }) => ({
        cpdId,
        cpConfig: Object.fromEntries(cpConfig.map((config) => [`${cpdId}_1`, config])),
      })),
    })),
  };
};
