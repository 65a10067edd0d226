import type { JsonObject } from '@windlass/foundation';
import { singleFileVnfd, smallestPackage, zipOf } from '@windlass/vnf-package/testing';

/** Two VNFCs of VDU1 at the default level, and one more at each step of the aspect. */
const POLICIES = `    - aspects: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { worker: { max_scale_level: 3, step_deltas: [ step ] } } } }
    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 1 } }, targets: [ VDU1 ] }
    - deltas: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: worker, deltas: { step: { number_of_instances: 1 } } }, targets: [ VDU1 ] }
    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { levels: { small: { description: small, scale_info: { worker: { scale_level: 1 } } } }, default_level: small } }
`;

const TOP = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  VDU1:
    type: VDU1.yaml
    properties:
      flavor: { get_param: [ nfv, VDU, VDU1, computeFlavourId ] }
      image-VDU1: { get_param: [ nfv, VDU, VDU1, vcImageId ] }
      net: { get_param: [ nfv, CP, VDU1_CP1, network ] }
`;

/** A top template with a group, whose size is a parameter. */
export const GROUPED = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  VDU1:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 4
      desired_capacity: { get_param: [ nfv, VDU, VDU1, desired_capacity ] }
      resource:
        type: VDU1.yaml
        properties:
          flavor: { get_param: [ nfv, VDU, VDU1, computeFlavourId ] }
          image-VDU1: { get_param: [ nfv, VDU, VDU1, vcImageId ] }
          net: { get_param: [ nfv, CP, VDU1_CP1, network ] }
`;

const NESTED = `heat_template_version: 2013-05-23
parameters:
  flavor: { type: string }
  image-VDU1: { type: string }
  net: { type: string }
resources:
  VDU1:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: flavor }
      image: { get_param: image-VDU1 }
      networks: [ { port: { get_resource: VDU1_CP1 } } ]
  VDU1_CP1:
    type: OS::Neutron::Port
    properties:
      network: { get_param: net }
`;

export const SCRIPT = 'UserData/user_data.py';

/** A package in the layout "Standard": the top template has a resource for a VDU, and a script copies the resource for each VNFC. */
export const standardPackage = (script: string, top = TOP, path = SCRIPT): Buffer =>
  zipOf({
    ...smallestPackage({ 'Definitions/top.yaml': singleFileVnfd({ policies: POLICIES }) }),
    'BaseHOT/default/top.yaml': top,
    'BaseHOT/default/nested/VDU1.yaml': NESTED,
    'UserData/__init__.py': '',
    [path]: script,
  });

/** A script whose class only derives from one of ours. @param of the module, such as `userdata_standard` */
export const derived = (of: string, base: string, more = '    pass\n'): string =>
  `from tacker.sol_refactored.infra_drivers.openstack import ${of}\n\n\nclass Data(${of}.${base}):\n${more}`;

/** The external link of a request. */
export const onNetwork = (network: string): JsonObject => ({
  extVirtualLinks: [
    {
      id: `link-${network}`,
      resourceId: network,
      extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
    },
  ],
});

/** The body of an instantiation. */
export const standardRequest = (more: JsonObject = {}, path = SCRIPT): JsonObject => ({
  flavourId: 'default',
  ...onNetwork('net0'),
  additionalParams: { 'lcm-operation-user-data': `./${path}`, 'lcm-operation-user-data-class': 'Data', ...more },
});
