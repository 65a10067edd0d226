import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { singleFileVnfd, smallestPackage, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealedVnf } from './support/healable.js';
import { program } from '../support/program.js';
import { onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';

const DRIVER = 'mgmt-drivers-test';
const HOOKS = ['instantiate_end', 'heal_start', 'heal_end'];

/** Workers in a group, each with a volume in its nested template, and a server whose volume stands in the top one. */
const withVolumes = (): Buffer => {
  const disk = `
      type: tosca.nodes.nfv.Vdu.VirtualBlockStorage
      properties: { virtual_block_storage_data: { size_of_storage: 1 GiB } }
`;
  const vnfd = singleFileVnfd({
    nodes: `    storage:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        sw_image_data:
          { name: cirros, version: 0.5.2, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }
      requirements: [ { virtual_storage: storage_volume } ]
    storage_CP1:
      type: tosca.nodes.nfv.VduCp
      requirements: [ { virtual_binding: storage } ]
    storage_volume:${disk}    worker_volume:${disk}`,
    policies: `    - aspects:
        type: tosca.policies.nfv.ScalingAspects
        properties: { aspects: { workers: { name: workers, description: workers, max_scale_level: 2, step_deltas: [ d1 ] } } }
    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 2 } }, targets: [ VDU1 ] }
    - deltas: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: workers, deltas: { d1: { number_of_instances: 1 } } }, targets: [ VDU1 ] }
`,
  });
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  const server = (vdu: string, volume: string): string => `
  ${vdu}:
    type: OS::Nova::Server
    properties:
      flavor: m1.tiny
      image: cirros
      networks: [ { port: { get_resource: ${vdu}_CP1 } } ]
      block_device_mapping_v2: [ { volume_id: { get_resource: ${volume} }, boot_index: -1 } ]
  ${vdu}_CP1:
    type: OS::Neutron::Port
    properties: { network: net0 }
  ${volume}:
    type: OS::Cinder::Volume
    properties: { size: 1 }
`;
  return zipOf(
    smallestPackage({
      'Definitions/top.yaml': vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`),
      'BaseHOT/default/top.yaml': `heat_template_version: 2013-05-23
parameters: { nfv: { type: json } }
resources:
  workers:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 2
      max_size: 4
      desired_capacity: { get_param: [ nfv, VDU, VDU1, desired_capacity ] }
      resource: { type: VDU1.yaml }
${server('storage', 'storage_volume')}`,
      'BaseHOT/default/nested/VDU1.yaml': `heat_template_version: 2013-05-23
resources:
${server('VDU1', 'worker_volume')}`,
    }),
  );
};

let system: System;
let driver: TestDriver;
let vnf: HealedVnf;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  driver = await startTestDriver(system, DRIVER, { hooks: ['instantiate_end', 'heal_start', 'heal_end'] });
  await onboardZip(system.api, withVolumes());
  vnf = await HealedVnf.instantiate(system);
});
afterAll(async () => {
  await driver.stop();
  await system.close();
});

const shown = ({ volumes = [], vnfcs }: HookContext) =>
  volumes.map(({ name, device, vnfcId }) => `${name} ${device} of ${vnfcs.find(({ id }) => id === vnfcId)?.vduId}`).sort();
const idOf = ({ volumes = [] }: HookContext): string => volumes.find(({ name }) => name === 'storage_volume')?.resourceId ?? '';

describe('the driver of a VNF with volumes', () => {
  it('is told of those in the top stack and in members’ stacks, each with its VNFC and its device', async () => {
    const [end] = driver.told;
    expect(end?.hook).toBe('instantiate_end');
    expect(shown(end!)).toEqual([
      'storage_volume /dev/vdb of storage',
      'worker_volume /dev/vdb of VDU1',
      'worker_volume /dev/vdb of VDU1',
    ]);
    const ids = end!.volumes!.map(({ resourceId }) => resourceId);
    const there = system.emulator.inventory().flatMap(({ volumes }) => volumes as { id: string }[]);
    expect(there.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const { instantiatedVnfInfo } = (await vnf.shown()) as { instantiatedVnfInfo: { virtualStorageResourceInfo: JsonObject[] } };
    const storages = instantiatedVnfInfo.virtualStorageResourceInfo.map(
      ({ storageResource }) => (storageResource as JsonObject).resourceId,
    );
    expect(storages).toEqual([idOf(end!)]);
  });

  it('is told before a heal of the volume that goes, and after it of the one that came', async () => {
    const [storage] = (await vnf.vnfcs()).filter(({ vduId }) => vduId === 'storage');
    const before = driver.told.length;
    const op = await vnf.heal({ vnfcInstanceId: [storage!.id], additionalParams: { all: true } });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const [start, end] = driver.told.slice(before);
    expect([start?.hook, end?.hook]).toEqual(['heal_start', 'heal_end']);
    expect(idOf(start!)).toBe(idOf(driver.told[0]!));
    expect(idOf(end!)).not.toBe(idOf(start!));
    expect(shown(end!)).toEqual(shown(start!));
  });
});

describe('the command line', () => {
  const vnfId = (): string => vnf.path.split('/').at(-1)!;
  const volumesNow = () =>
    system.emulator
      .inventory()
      .flatMap(({ volumes }) => volumes as { id: string }[])
      .map(({ id }) => id)
      .sort();
  const operations = async () => (await system.api.get<JsonObject[]>('/vnflcm/v1/vnf_lcm_op_occs')).data.map(({ id }) => id);
  const healOne = async (...options: string[]) => {
    const [worker] = await vnf.ofVdu('VDU1');
    return program(system, 'vnf', 'heal', vnfId(), '--vnfc', worker!.id, ...options);
  };

  it('heals nothing whose volume would go unless its user says so, and names the volume', async () => {
    const [before, asked] = [volumesNow(), await operations()];
    await expect(healOne()).rejects.toThrow(
      /^this heal deletes a volume with all that is on it: worker_volume \([0-9a-f-]{36}\)\. Nothing/,
    );
    await expect(program(system, 'vnf', 'heal', vnfId())).rejects.toThrow(
      /^this heal deletes 3 volumes with all that is on them: /,
    );
    expect((await healOne('--plan')).join('\n')).toMatch(
      /\nvolume that would be deleted, with all that is on it: worker_volume \(/,
    );
    expect((await healOne('--keep-volumes', '--plan')).join('\n')).not.toContain('volume that would be deleted');
    expect(volumesNow()).toEqual(before);
    expect(await operations()).toEqual(asked);
  });

  it('heals with the volume that is there, and with a new one where its user says so', async () => {
    const before = volumesNow();
    expect((await healOne('--keep-volumes')).join('\n')).toContain('HEAL COMPLETED');
    expect(volumesNow()).toEqual(before);
    expect((await healOne('--replace-volumes')).join('\n')).toContain('HEAL COMPLETED');
    expect(volumesNow().filter((id) => before.includes(id))).toHaveLength(2);
  });
});
