import { type PackageFiles, sha256, VNFD_ID } from './package-factory.js';

const INSTALL_SCRIPT = '#!/bin/bash\necho "the packaged script of a user"\n';
const PYTHON = 'import os\nos.remove("/never/run")\n';

/**
 * The reference system's Kubernetes package in its users' shape (spec, package-skeletons.md): flavours simple, complex
 * and podaffinity, with Python drivers and user data, without ETSI's imports and the image's bytes.
 */
export function kubernetesSkeleton(changes: PackageFiles = {}): PackageFiles {
  const flavours = ['simple', 'complex', 'podaffinity'] as const;
  const files: PackageFiles = {
    'TOSCA-Metadata/TOSCA.meta': toscaMeta(),
    'Definitions/sample_kubernetes_top.vnfd.yaml': topVnfd(flavours),
    'Definitions/sample_kubernetes_types.yaml': vendorTypes(flavours),
    'Scripts/install_k8s_cluster.sh': INSTALL_SCRIPT,
    'Scripts/kubernetes_mgmt.py': PYTHON,
    'UserData/__init__.py': '',
    'UserData/k8s_cluster_user_data.py': PYTHON,
  };
  for (const flavour of flavours) {
    files[`Definitions/sample_kubernetes_df_${flavour}.yaml`] = flavourFile(flavour, flavour === 'simple' ? 1 : 3);
    files[`BaseHOT/${flavour}/${flavour}_hot_top.yaml`] = topHot(flavour);
    files[`BaseHOT/${flavour}/nested/${flavour}_nested_master.yaml`] = nestedHot('masterNode', 'masterNode_CP1', flavour);
    files[`BaseHOT/${flavour}/nested/${flavour}_nested_worker.yaml`] = nestedHot('workerNode', 'workerNode_CP2', flavour);
  }
  return { ...files, ...changes };
}

function toscaMeta(): string {
  return `TOSCA-Meta-File-Version: 1.0
Created-by: Dummy User
CSAR-Version: 1.1
Entry-Definitions: Definitions/sample_kubernetes_top.vnfd.yaml

Name: Files/images/ubuntu-20.04-server-cloudimg-amd64.img
Content-Type: application/x-iso9066-image

Name: Scripts/install_k8s_cluster.sh
Content-Type: application/sh
Algorithm: SHA-256
Hash: ${sha256(INSTALL_SCRIPT)}

Name: Scripts/kubernetes_mgmt.py
Content-Type: text/x-python
Algorithm: SHA-256
Hash: ${sha256(PYTHON)}
`;
}

const ETSI_IMPORTS = '  - etsi_nfv_sol001_common_types.yaml\n  - etsi_nfv_sol001_vnfd_types.yaml\n';

function topVnfd(flavours: readonly string[]): string {
  return `tosca_definitions_version: tosca_simple_yaml_1_2
description: Sample VNF
imports:
${ETSI_IMPORTS}  - sample_kubernetes_types.yaml
${flavours.map((flavour) => `  - sample_kubernetes_df_${flavour}.yaml`).join('\n')}
topology_template:
  inputs:
    selected_flavour:
      type: string
      description: VNF deployment flavour selected by the consumer. It is provided in the API
  node_templates:
    VNF:
      type: company.provider.VNF
      properties:
        flavour_id: { get_input: selected_flavour }
        descriptor_id: ${VNFD_ID}
        provider: Company
        product_name: Sample VNF
        software_version: '1.0'
        descriptor_version: '1.0'
        vnfm_info:
          - Tacker
`;
}

function vendorTypes(flavours: readonly string[]): string {
  return `tosca_definitions_version: tosca_simple_yaml_1_2
imports:
${ETSI_IMPORTS}
node_types:
  company.provider.VNF:
    derived_from: tosca.nodes.nfv.VNF
    properties:
      descriptor_id:
        type: string
        default: ${VNFD_ID}
      flavour_id:
        type: string
        constraints: [ valid_values: [ ${flavours.join(', ')} ] ]
        default: simple
      flavour_description:
        type: string
        default: ""
    interfaces:
      Vnflcm:
        type: tosca.interfaces.nfv.Vnflcm
`;
}

function flavourFile(flavour: string, masters: number): string {
  const hooks = ['instantiate_end', 'terminate_end', 'heal_start', 'heal_end', 'scale_start', 'scale_end'];
  return `tosca_definitions_version: tosca_simple_yaml_1_2
description: ${flavour} deployment flavour for Sample VNF
imports:
${ETSI_IMPORTS}  - sample_kubernetes_types.yaml
topology_template:
  inputs:
    id:
      type: string
    flavour_id:
      type: string
  substitution_mappings:
    node_type: company.provider.VNF
    properties:
      flavour_id: ${flavour}
    requirements:
      virtual_link_external1_1: [ masterNode_CP1, virtual_link ]
      virtual_link_external1_2: [ workerNode_CP2, virtual_link ]
  node_templates:
    VNF:
      type: company.provider.VNF
      properties:
        flavour_description: A ${flavour} flavour
      interfaces:
        Vnflcm:
          instantiate: []
          instantiate_start: []
${hooks.map((hook) => `          ${hook}:\n            implementation: mgmt-drivers-kubernetes`).join('\n')}
          terminate_start: []
      artifacts:
        mgmt-drivers-kubernetes:
          description: Management driver for kubernetes cluster
          type: tosca.artifacts.Implementation.Python
          file: Scripts/kubernetes_mgmt.py
${compute('masterNode', masters)}${compute('workerNode', 2)}${vduCp('masterNode_CP1', 'masterNode')}${vduCp('workerNode_CP2', 'workerNode')}
  policies:
    - scaling_aspects:
        type: tosca.policies.nfv.ScalingAspects
        properties:
          aspects:
            master_instance: { name: master_instance, description: masters, max_scale_level: 2, step_deltas: [ delta_1 ] }
            worker_instance: { name: worker_instance, description: workers, max_scale_level: 2, step_deltas: [ delta_1 ] }
${scaling('masterNode', 'master_instance', masters)}${scaling('workerNode', 'worker_instance', 2)}
    - instantiation_levels:
        type: tosca.policies.nfv.InstantiationLevels
        properties:
          levels:
            instantiation_level_1:
              description: Smallest size
              scale_info:
                master_instance: { scale_level: 0 }
                worker_instance: { scale_level: 0 }
            instantiation_level_2:
              description: Largest size
              scale_info:
                master_instance: { scale_level: 2 }
                worker_instance: { scale_level: 2 }
          default_level: instantiation_level_1
`;
}

function compute(name: string, count: number): string {
  return `    ${name}:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        name: ${name}
        description: ${name} compute node
        vdu_profile:
          min_number_of_instances: ${count}
          max_number_of_instances: ${count + 2}
        sw_image_data:
          name: Image for ${name} kubernetes
          version: '20.04'
          checksum:
            algorithm: sha-512
            hash: fb1a1e50f9af2df6ab18a69b6bc5df07ebe8ef962b37e556ce95350ffc8f4a1118617d486e2018d1b3586aceaeda799e6cc073f330a7ad8f0ec0416cbd825452
          container_format: bare
          disk_format: qcow2
          min_disk: 0 GB
          size: 2 GB
      artifacts:
        sw_image:
          type: tosca.artifacts.nfv.SwImage
          file: ../Files/images/ubuntu-20.04-server-cloudimg-amd64.img
      capabilities:
        virtual_compute:
          properties:
            requested_additional_capabilities:
              properties:
                requested_additional_capability_name: m1.medium
                support_mandatory: true
                target_performance_parameters:
                  entry_schema: test
            virtual_memory:
              virtual_mem_size: 4 GB
            virtual_cpu:
              num_virtual_cpu: 2
            virtual_local_storage:
              - size_of_storage: 45 GB
`;
}

const vduCp = (name: string, vdu: string): string => `    ${name}:
      type: tosca.nodes.nfv.VduCp
      properties:
        layer_protocols: [ ipv4 ]
        order: 0
      requirements:
        - virtual_binding: ${vdu}
`;

const scaling = (vdu: string, aspect: string, count: number): string => `    - ${vdu}_initial_delta:
        type: tosca.policies.nfv.VduInitialDelta
        properties:
          initial_delta:
            number_of_instances: ${count}
        targets: [ ${vdu} ]
    - ${vdu}_scaling_aspect_deltas:
        type: tosca.policies.nfv.VduScalingAspectDeltas
        properties:
          aspect: ${aspect}
          deltas:
            delta_1:
              number_of_instances: 1
        targets: [ ${vdu} ]
    - ${vdu}_instantiation_levels:
        type: tosca.policies.nfv.VduInstantiationLevels
        properties:
          levels:
            instantiation_level_1:
              number_of_instances: ${count}
            instantiation_level_2:
              number_of_instances: ${count + 2}
        targets: [ ${vdu} ]
`;

function topHot(flavour: string): string {
  const ha = flavour !== 'simple';
  const spread = flavour === 'podaffinity';
  const vip = ha ? '\n          vip_port_ip: { get_attr: [ vip_CP, fixed_ips, 0, ip_address ] }' : '';
  const hint = (role: string) => (spread ? `\n          scheduler_hints: { get_resource: srvgroup_${role} }` : '');
  return `heat_template_version: 2013-05-23
description: '${flavour} deployment flavour for Sample VNF'
parameters:
  nfv:
    type: json
${spread ? '  k8s_worker_node_group:\n    type: string\n  k8s_master_node_group:\n    type: string\n' : ''}
resources:
${asg('master_instance', 'masterNode', 'masterNode_CP1', ha ? [3, 5] : [1, 3], `${flavour}_nested_master.yaml`, vip + hint('master'))}
${asg('worker_instance', 'workerNode', 'workerNode_CP2', [2, 4], `${flavour}_nested_worker.yaml`, hint('worker'))}
${ha ? '  vip_CP:\n    type: OS::Neutron::Port\n    properties:\n      network: net0\n' : ''}
${spread ? serverGroup('worker') + serverGroup('master') : ''}
outputs: {}
`;
}

const serverGroup = (role: string): string => `  srvgroup_${role}:
    type: OS::Nova::ServerGroup
    properties:
      name: { get_param: k8s_${role}_node_group }
      policies: [ 'anti-affinity' ]
`;

const asg = (
  name: string,
  vdu: string,
  cp: string,
  [min, max]: [number, number],
  nested: string,
  more: string,
): string => `  ${name}:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: ${min}
      max_size: ${max}
      desired_capacity: ${min} # as the VNFD's default level
      resource:
        type: ${nested}
        properties:
          flavor: { get_param: [ nfv, VDU, ${vdu}, flavor ] }
          image: { get_param: [ nfv, VDU, ${vdu}, image ] }
          net1: { get_param: [ nfv, CP, ${cp}, network ] }${more}
  ${name}_scale_out:
    type: OS::Heat::ScalingPolicy
    properties:
      scaling_adjustment: 1
      auto_scaling_group_id:
        get_resource: ${name}
      adjustment_type: change_in_capacity
  ${name}_scale_in:
    type: OS::Heat::ScalingPolicy
    properties:
      scaling_adjustment: -1
      auto_scaling_group_id:
        get_resource: ${name}
      adjustment_type: change_in_capacity
`;

function nestedHot(vdu: string, cp: string, flavour: string): string {
  const pairs = flavour !== 'simple' && vdu === 'masterNode';
  return `heat_template_version: 2013-05-23
description: '${vdu} HOT for Sample VNF'
parameters:
  flavor:
    type: string
  image:
    type: string
  net1:
    type: string
${pairs ? '  vip_port_ip:\n    type: string\n' : ''}${flavour === 'podaffinity' ? '  scheduler_hints:\n    type: string\n' : ''}
resources:
  ${vdu}:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: flavor }
      name: ${vdu}
      image: { get_param: image }
      networks:
        - port:
            get_resource: ${cp}
${flavour === 'podaffinity' ? '      scheduler_hints:\n        group: { get_param: scheduler_hints }\n' : ''}
  ${cp}:
    type: OS::Neutron::Port
    properties:
      network: { get_param: net1 }
${pairs ? '      allowed_address_pairs:\n        - ip_address: { get_param: vip_port_ip }\n' : ''}`;
}
