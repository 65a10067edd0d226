/** The stack, with nearly every kind of resource, whose answers to single requests were recorded. */
export const manyKinds = {
  files: {
    'n.yaml': `heat_template_version: 2018-08-31
parameters: {a: {type: string}}
resources: {x: {type: OS::Heat::RandomString, properties: {salt: {get_param: a}}}}
outputs: {o: {value: {get_attr: [x, value]}}}
`,
  },
  template: `heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net, properties: {name: p2net}}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 192.168.77.0/24}}
  p1:
    type: OS::Neutron::Port
    properties:
      network: {get_resource: net}
      fixed_ips: [{ip_address: 192.168.77.50}]
      allowed_address_pairs: [{ip_address: 192.168.77.99}]
  p2: {type: OS::Neutron::Port, properties: {network: net0}}
  kp: {type: OS::Nova::KeyPair, properties: {name: kp2, public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAtl6iBPgkwpl+VHhhZth8VBWqei3W35G0PlbjF+8lzf x'}}
  srvg: {type: OS::Nova::ServerGroup, properties: {name: sg2, policies: [anti-affinity]}}
  vol: {type: OS::Cinder::Volume, properties: {size: 1}}
  s1:
    type: OS::Nova::Server
    properties:
      flavor: m1.tiny
      image: cirros
      key_name: {get_resource: kp}
      networks: [{port: {get_resource: p1}}, {port: {get_resource: p2}}]
      user_data: "#!/bin/sh\\n"
      scheduler_hints: {group: {get_resource: srvg}}
  s2: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: cirros, networks: [{network: net0}]}}
  va: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: s1}, volume_id: {get_resource: vol}, mountpoint: /dev/vdb}}
  rs: {type: OS::Heat::RandomString, properties: {length: 10}}
  cfg: {type: OS::Heat::SoftwareConfig, properties: {config: "echo hi"}}
  none: {type: OS::Heat::None}
  val: {type: OS::Heat::Value, properties: {type: string, value: {str_replace: {template: "a $x", params: {$x: 1}}}}}
  rg: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: OS::Heat::RandomString, properties: {length: 4}}}}
  asg:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 3, desired_capacity: 2, resource: {type: n.yaml, properties: {a: x}}}
  pol: {type: OS::Heat::ScalingPolicy, properties: {scaling_adjustment: 1, auto_scaling_group_id: {get_resource: asg}, adjustment_type: change_in_capacity}}
  nes: {type: n.yaml, properties: {a: y}}
outputs:
  p1ip: {value: {get_attr: [p1, fixed_ips, 0, ip_address]}}
  mac: {value: {get_attr: [p1, mac_address]}, description: mac}
  addr: {value: {get_attr: [s1, addresses]}}
  nets: {value: {get_attr: [s1, networks]}}
  first: {value: {get_attr: [s1, first_address]}}
  refs: {value: {get_attr: [asg, refs]}}
  refsmap: {value: {get_attr: [asg, refs_map]}}
  ol: {value: {get_attr: [asg, outputs_list, o]}}
  om: {value: {get_attr: [asg, outputs, o]}}
  cs: {value: {get_attr: [asg, current_size]}}
  neso: {value: {get_attr: [nes, o]}}
  nesr: {value: {get_attr: [nes, resource.x]}}
  rgr: {value: {get_attr: [rg, refs]}}
  rgv: {value: {get_attr: [rg, value]}}
  rg0: {value: {get_attr: [rg, resource.0]}}
  portshow: {value: {get_attr: [p1, show]}}
  sgid: {value: {get_resource: srvg}}
  pk: {value: {get_attr: [kp, public_key]}}
  rnd: {value: {get_attr: [rs, value]}}
  vv: {value: {get_attr: [val, value]}}
  lj: {value: {list_join: [',', [a, b, {get_resource: net}]]}}
`,
};
