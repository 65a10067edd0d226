import type { JsonObject } from '@windlass/foundation';
import type { VnfModel } from '@windlass/infra-driver';

/** A template shaped like the sample packages: a group of nested workers in an anti-affinity server group, and a port of the VNF's own. */
export const groupTemplate = `
heat_template_version: 2013-05-23
parameters:
  nfv: {type: json}
resources:
  worker_instance_scale_out:
    type: OS::Heat::ScalingPolicy
    properties:
      scaling_adjustment: 1
      auto_scaling_group_id: {get_resource: worker_instance}
      adjustment_type: change_in_capacity
  worker_instance:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 3
      desired_capacity: {get_param: [nfv, VDU, workerNode, desired_capacity]}
      resource:
        type: worker.yaml
        properties:
          flavor: {get_param: [nfv, VDU, workerNode, flavor]}
          image: {get_param: [nfv, VDU, workerNode, image]}
          net1: {get_param: [nfv, CP, workerNode_CP2, network]}
          net2: {get_resource: internalVL}
          group: {get_resource: srvgroup_worker}
          vip: {get_attr: [vip_CP, fixed_ips, 0, ip_address]}
    depends_on: internalVL_subnet
  srvgroup_worker:
    type: OS::Nova::ServerGroup
    properties: {name: workers, policies: [anti-affinity]}
  vip_CP:
    type: OS::Neutron::Port
    properties: {network: net0}
  internalVL:
    type: OS::Neutron::Net
  internalVL_subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: internalVL}, cidr: 192.168.77.0/24}
outputs:
  vip: {value: {get_attr: [vip_CP, fixed_ips, 0, ip_address]}}
`;

export const groupFiles = {
  'worker.yaml': `
heat_template_version: 2013-05-23
parameters:
  flavor: {type: string}
  image: {type: string}
  net1: {type: string}
  net2: {type: string}
  group: {type: string}
  vip: {type: string}
resources:
  workerNode:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      image: {get_param: image}
      networks:
        - port: {get_resource: workerNode_CP2}
        - port: {get_resource: workerNode_CP3}
      scheduler_hints: {group: {get_param: group}}
  workerNode_CP2:
    type: OS::Neutron::Port
    properties:
      network: {get_param: net1}
      allowed_address_pairs: [{ip_address: {get_param: vip}}]
  workerNode_CP3:
    type: OS::Neutron::Port
    properties: {network: {get_param: net2}}
`,
};

/** The parameter `nfv` for so many workers. */
export const groupParameters = (workers: number, change: JsonObject = {}): JsonObject => ({
  nfv: {
    VDU: { workerNode: { desired_capacity: workers, flavor: 'm1.tiny', image: 'cirros', ...change } },
    CP: { workerNode_CP2: { network: 'net0' } },
  },
});

/** The VNFD of the stack above. */
export const groupModel: VnfModel = {
  vdus: [{ id: 'workerNode', storageIds: [] }],
  cps: [
    { id: 'workerNode_CP2', vduId: 'workerNode' },
    { id: 'workerNode_CP3', vduId: 'workerNode', virtualLinkId: 'internalVL' },
    { id: 'vip_CP' },
  ],
  virtualLinks: [{ id: 'internalVL' }],
  aspects: [{ id: 'worker_instance', vdus: [{ vduId: 'workerNode', initial: 1, delta: 1 }] }],
};

/** A server with its own volume, like the storage server of the PersistentVolume samples. */
export const volumeTemplate = `
heat_template_version: 2013-05-23
parameters:
  nfv: {type: json}
resources:
  storage_server_volume:
    type: OS::Cinder::Volume
    properties: {size: 1}
  storage_server_CP:
    type: OS::Neutron::Port
    properties: {network: {get_param: [nfv, CP, storage_server_CP, network]}}
  storage_server:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: [nfv, VDU, storage_server, flavor]}
      image: {get_param: [nfv, VDU, storage_server, image]}
      networks: [{port: {get_resource: storage_server_CP}}]
      block_device_mapping_v2:
        - {volume_id: {get_resource: storage_server_volume}, device_name: vdb, boot_index: -1}
`;

export const volumeParameters: JsonObject = {
  nfv: {
    VDU: { storage_server: { flavor: 'm1.tiny', image: 'cirros' } },
    CP: { storage_server_CP: { network: 'net0' } },
  },
};

/** A server with a floating IP, like the load balancer of the kubespray samples. */
export const floatingIpTemplate = `
heat_template_version: 2013-05-23
resources:
  externalLB:
    type: OS::Nova::Server
    properties: {flavor: m1.tiny, image: cirros, networks: [{port: {get_resource: externalLB_CP3}}]}
  externalLB_CP3:
    type: OS::Neutron::Port
    properties: {network: net0}
  externalLB_FloatingIP:
    type: OS::Neutron::FloatingIP
    properties: {floating_network: public, port_id: {get_resource: externalLB_CP3}}
`;

/** One server with the given property. */
export const serverTemplate = (property: string): string => {
  const [name = ''] = property.split(':');
  const properties = ['flavor: m1.tiny', 'image: cirros', 'network: net0'].map((line) =>
    line.startsWith(`${name}:`) ? property : line,
  );
  const [flavor, image, network] = properties;
  return `
heat_template_version: 2013-05-23
resources:
  server:
    type: OS::Nova::Server
    properties: {${String(flavor)}, ${String(image)}, networks: [{${String(network)}}]}
`;
};

/** One port, which makes the quickest stack. @param address a fixed address of the port */
export const portTemplate = (address?: string): string => `
heat_template_version: 2013-05-23
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: net0
${address === undefined ? '' : `      fixed_ips: [{ip_address: ${address}}]`}
`;
