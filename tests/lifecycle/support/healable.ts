import { seconds, waitUntil, millis, type JsonObject } from '@windlass/foundation';
import { singleFileVnfd, smallestPackage, VNFD_ID, zipOf } from '@windlass/vnf-package/testing';
import { atRest, createVnf, type System } from '../../support/system.js';

/**
 * A VNF without hooks that can be healed in every way: a group of workers kept apart by a server group (two of them; the emulator
 * has three hosts), and a storage server with a volume that Heat makes.
 */
export const healable = (): Buffer =>
  zipOf(
    smallestPackage({
      'Definitions/top.yaml': singleFileVnfd({
        nodes: `    storage:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        sw_image_data:
          { name: cirros, version: 0.5.2, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }
      requirements: [ { virtual_storage: disk } ]
    storage_CP1:
      type: tosca.nodes.nfv.VduCp
      requirements: [ { virtual_binding: storage } ]
    disk:
      type: tosca.nodes.nfv.Vdu.VirtualBlockStorage
      properties: { virtual_block_storage_data: { size_of_storage: 1 GiB } }
`,
        policies: `    - aspects:
        type: tosca.policies.nfv.ScalingAspects
        properties: { aspects: { workers: { name: workers, description: workers, max_scale_level: 2, step_deltas: [ d1 ] } } }
    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 2 } }, targets: [ VDU1 ] }
    - deltas: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: workers, deltas: { d1: { number_of_instances: 1 } } }, targets: [ VDU1 ] }
`,
      }),
      'BaseHOT/default/top.yaml': `heat_template_version: 2013-05-23
parameters: { nfv: { type: json } }
resources:
  workers:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 2
      max_size: 4
      desired_capacity: { get_param: [ nfv, VDU, VDU1, desired_capacity ] }
      resource:
        type: VDU1.yaml
        properties:
          flavor: { get_param: [ nfv, VDU, VDU1, flavor ] }
          image: { get_param: [ nfv, VDU, VDU1, image ] }
          network: { get_param: [ nfv, CP, VDU1_CP1, network ] }
          group: { get_resource: apart }
  apart:
    type: OS::Nova::ServerGroup
    properties: { name: apart, policies: [ anti-affinity ] }
  disk:
    type: OS::Cinder::Volume
    properties: { size: 1 }
  storage:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: [ nfv, VDU, storage, flavor ] }
      image: { get_param: [ nfv, VDU, storage, image ] }
      networks: [ { port: { get_resource: storage_CP1 } } ]
      block_device_mapping_v2: [ { volume_id: { get_resource: disk }, boot_index: -1 } ]
  storage_CP1:
    type: OS::Neutron::Port
    properties: { network: { get_param: [ nfv, CP, storage_CP1, network ] } }
`,
      'BaseHOT/default/nested/VDU1.yaml': `heat_template_version: 2013-05-23
parameters: { flavor: { type: string }, image: { type: string }, network: { type: string }, group: { type: string } }
resources:
  VDU1:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: flavor }
      image: { get_param: image }
      networks: [ { port: { get_resource: VDU1_CP1 } } ]
      scheduler_hints: { group: { get_param: group } }
  VDU1_CP1:
    type: OS::Neutron::Port
    properties: { network: { get_param: network } }
`,
    }),
  );

/** The part of a VNFC in the API that heals change. */
export interface ShownVnfc {
  id: string;
  vduId: string;
  computeResource: { resourceId: string };
  storageResourceIds: string[];
  vnfcCpInfo: { cpProtocolInfo: JsonObject[] }[];
}

/** One instantiated VNF of the package. */
export class HealedVnf {
  private constructor(
    private readonly system: System,
    readonly path: string,
  ) {}

  static async instantiate(system: System): Promise<HealedVnf> {
    const { api } = system;
    const vnf = new HealedVnf(system, await createVnf(api, VNFD_ID));
    const cp = (cpdId: string): JsonObject => ({
      cpdId,
      cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
    });
    const extVirtualLinks = [{ id: 'net0', resourceId: 'net0', extCps: [cp('VDU1_CP1'), cp('storage_CP1')] }];
    const op = await atRest(
      api,
      await api.post(`${vnf.path}/instantiate`, { flavourId: 'default', extVirtualLinks }),
      seconds(120),
    );
    if (op.operationState !== 'COMPLETED') throw new Error(`not instantiated: ${JSON.stringify(op)}`);
    return vnf;
  }

  ask(body: JsonObject) {
    return this.system.api.post<JsonObject>(`${this.path}/heal`, body);
  }

  /** Heals the VNF. Returns the operation at rest. */
  async heal(body: JsonObject): Promise<JsonObject> {
    return atRest(this.system.api, await this.ask(body), seconds(120));
  }

  /** Asks for a task on an operation. Returns the operation at rest. */
  async task(op: JsonObject, name: 'retry' | 'rollback'): Promise<JsonObject> {
    const path = `/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}`;
    const answer = await this.system.api.post(`${path}/${name}`);
    if (answer.status !== 202) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.data)}`);
    return waitUntil(
      async (seen) => {
        const { data } = await this.system.api.get<JsonObject>(path);
        seen(JSON.stringify(data));
        return ['COMPLETED', 'FAILED_TEMP', 'ROLLED_BACK', 'FAILED'].includes(String(data.operationState)) ? data : undefined;
      },
      { for: `${name} of ${path}`, within: seconds(120), every: millis(50) },
    );
  }

  async shown(): Promise<JsonObject> {
    return (await this.system.api.get<JsonObject>(this.path)).data;
  }

  async vnfcs(): Promise<ShownVnfc[]> {
    const { instantiatedVnfInfo } = (await this.shown()) as { instantiatedVnfInfo?: { vnfcResourceInfo: ShownVnfc[] } };
    return instantiatedVnfInfo?.vnfcResourceInfo ?? [];
  }

  async ofVdu(vduId: string): Promise<ShownVnfc[]> {
    return (await this.vnfcs()).filter((vnfc) => vnfc.vduId === vduId);
  }

  async terminate(): Promise<void> {
    const op = await atRest(
      this.system.api,
      await this.system.api.post(`${this.path}/terminate`, { terminationType: 'FORCEFUL' }),
      seconds(120),
    );
    if (op.operationState !== 'COMPLETED') throw new Error(`not terminated: ${JSON.stringify(op)}`);
  }
}
