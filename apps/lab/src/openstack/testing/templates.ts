import type { JsonObject } from '@windlass/foundation';

const VERSION = 'heat_template_version: 2018-08-31\n';

/** A group of `desired` members, each a server with a port, in an anti-affinity group where `spread` is set. */
export function groupStack(options: { desired: number; spread?: boolean; flavor?: string; max?: number }): {
  template: string;
  files: Record<string, string>;
  parameters: JsonObject;
} {
  const hints =
    options.spread === true ? 'scheduler_hints: {group: {get_param: group}}' : 'metadata: {group: {get_param: group}}';
  return {
    template: `${VERSION}parameters: {n: {type: number}, flavor: {type: string, default: ${options.flavor ?? 'm1.tiny'}}}
resources:
  spread: {type: OS::Nova::ServerGroup, properties: {policies: [anti-affinity]}}
  group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 0
      max_size: ${options.max ?? 6}
      desired_capacity: {get_param: n}
      resource: {type: member.yaml, properties: {flavor: {get_param: flavor}, group: {get_resource: spread}}}
  out: {type: OS::Heat::ScalingPolicy, properties: {scaling_adjustment: 1, auto_scaling_group_id: {get_resource: group}, adjustment_type: change_in_capacity}}
  in: {type: OS::Heat::ScalingPolicy, properties: {scaling_adjustment: -1, auto_scaling_group_id: {get_resource: group}, adjustment_type: change_in_capacity}}
outputs:
  ips: {value: {get_attr: [group, outputs_list, ip]}}
  size: {value: {get_attr: [group, current_size]}}
`,
    files: {
      'member.yaml': `${VERSION}parameters: {flavor: {type: string}, group: {type: string}}
resources:
  vdu: {type: OS::Nova::Server, properties: {flavor: {get_param: flavor}, image: cirros, networks: [{port: {get_resource: cp}}], ${hints}}}
  cp: {type: OS::Neutron::Port, properties: {network: net0}}
outputs: {ip: {value: {get_attr: [cp, fixed_ips, 0, ip_address]}}}
`,
    },
    parameters: { n: options.desired },
  };
}

/** A server that boots from a volume and has a second volume, all made by Heat. */
export const volumeStack = `${VERSION}resources:
  boot: {type: OS::Cinder::Volume, properties: {size: 1, image: cirros}}
  data: {type: OS::Cinder::Volume, properties: {size: 2}}
  cp: {type: OS::Neutron::Port, properties: {network: net0, allowed_address_pairs: [{ip_address: 10.10.0.200}]}}
  vdu:
    type: OS::Nova::Server
    properties:
      name: storage
      flavor: m1.small
      block_device_mapping_v2: [{volume_id: {get_resource: boot}, boot_index: 0}, {volume_id: {get_resource: data}, boot_index: -1}]
      networks: [{port: {get_resource: cp}}]
`;

/** A server with a port and a volume, which a resource of its own attaches. */
export const attachmentStack = `${VERSION}parameters: {net: {type: string, default: net0}}
resources:
  vdu: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: cirros, networks: [{port: {get_resource: cp}}]}}
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}
  data: {type: OS::Cinder::Volume, properties: {size: 1}}
  attached: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: vdu}, volume_id: {get_resource: data}}}
`;

/** A server whose port Nova makes itself. */
export const networkStack = `${VERSION}resources:
  vdu: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: cirros, networks: [{network: net0}]}}
`;

/** A port with an address of no subnet, which fails when it is made, not when the template is checked. */
export const badPort = '{type: OS::Neutron::Port, properties: {network: net0, fixed_ips: [{ip_address: 1.2.3.4}]}}';

export const templateOf = (resources: string): string => `${VERSION}resources:\n${resources}`;
