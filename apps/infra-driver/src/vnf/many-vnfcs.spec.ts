import { assembleParts, layoutOf, type StackParts, type StackRef, type StackResource } from '@windlass/openstack';
import { expect, it } from 'vitest';
import { buildInstantiatedVnfInfo } from './instantiated-vnf-info.js';
import { vnfNodes } from './vnfc-nodes.js';
import type { VnfModel } from './vnf-model.js';

const TOP = { name: 'vnf', id: 'top' };
const CPS = ['CP1', 'CP2'];
const model: VnfModel = {
  vdus: [{ id: 'VDU', storageIds: ['VOL'] }],
  cps: CPS.map((id) => ({ id, vduId: 'VDU' })),
  virtualLinks: [],
  aspects: [{ id: 'scaled', vdus: [{ vduId: 'VDU', initial: 1, delta: 1 }] }],
};

const resource = (name: string, type: string, stack: StackRef, physicalId: string, createdAt: string): StackResource => ({
  name,
  type,
  stack,
  physicalId,
  nested: undefined,
  status: 'CREATE_COMPLETE',
  statusReason: '',
  createdAt,
  updatedAt: createdAt,
  parentResource: undefined,
  requiredBy: [],
});

/** A group of so many members, each of one server with its ports, its volume and its floating IP. */
function group(above: StackRef, size: number, minute = 0): StackResource[] {
  const own = { name: `${above.name}-group`, id: `${above.id}-group` };
  const at = `2026-11-29T10:${String(minute).padStart(2, '0')}:00Z`;
  const members = Array.from({ length: size }, (_, index) => {
    const stack = { name: `${own.name}-${index}`, id: `${own.id}-${index}` };
    return [
      { ...resource(`m${index}`, 'member.yaml', own, stack.id, at), nested: stack },
      resource('VDU', 'OS::Nova::Server', stack, `server-${stack.id}`, at),
      ...CPS.map((name) => resource(name, 'OS::Neutron::Port', stack, `${name}-${stack.id}`, at)),
      resource('VOL', 'OS::Cinder::Volume', stack, `volume-${stack.id}`, at),
      resource('IP', 'OS::Neutron::FloatingIP', stack, `ip-${stack.id}`, at),
    ];
  });
  return [{ ...resource('GROUP', 'OS::Heat::AutoScalingGroup', above, own.id, at), nested: own }, ...members.flat()];
}

const partsOf = (resources: readonly StackResource[]): StackParts => {
  const stacks = resources.filter(({ type }) => type === 'OS::Nova::Server').map(({ stack }) => stack.id);
  return assembleParts(layoutOf(TOP, resources), {
    servers: [],
    ports: stacks.flatMap((id) =>
      CPS.map((name) => ({
        id: `${name}-${id}`,
        name,
        status: 'ACTIVE',
        networkId: 'net',
        macAddress: 'fa:16:3e:00:00:01',
        deviceId: `server-${id}`,
        fixedIps: [{ subnetId: 'sub', address: '10.0.0.1' }],
        allowedAddresses: [],
        tags: [],
      })),
    ),
    volumes: [],
    floatingIps: stacks.map((id) => ({ id: `ip-${id}`, address: '172.24.4.9', portId: `CP1-${id}`, fixedAddress: undefined })),
  });
};

/** How often members of the stack's parts are looked at while the VNF is read out of them. */
function looksAt(size: number): number {
  const parts = partsOf(group(TOP, size));
  let looks = 0;
  const counted = <T extends object>(items: readonly T[]): T[] =>
    items.map((item) => new Proxy(item, { get: (of, name, self) => (looks++, Reflect.get(of, name, self) as unknown) }));
  const inventory = {
    ...parts,
    groups: counted(parts.groups),
    servers: counted(parts.servers),
    ports: counted(parts.ports),
    volumes: counted(parts.volumes),
    floatingIps: counted(parts.floatingIps),
  };
  const { vnfcs } = vnfNodes('one', model, inventory);
  const extCps = CPS.map((cpdId) => ({ cpdId, cpConfig: [] }));
  const info = buildInstantiatedVnfInfo({
    vnfInstanceId: 'one',
    flavourId: 'simple',
    model,
    inventory,
    extVirtualLinks: [{ id: 'link', resourceId: 'net', extCps }],
  });
  expect([vnfcs.length, info.vnfcResourceInfo.length, info.extCpInfo?.length]).toEqual([size, size, size * CPS.length]);
  expect(vnfcs[0]?.cps.IP).toMatchObject({ floatingIp: '172.24.4.9' });
  return looks;
}

it('of four times as many VNFCs four times as much is looked at, not sixteen times', () => {
  const [few, many] = [looksAt(50), looksAt(200)];
  // What sorts looks at more, by a logarithm.
  expect(many / few).toBeLessThan(6);
});

it('members of groups of one name in different nested stacks are told apart: their ages, and the stacks that they are marked unhealthy in', () => {
  const halves = ['east', 'west'].map((name) => ({ name, id: name }));
  const parts = partsOf(
    halves.flatMap((half, index) => [
      { ...resource(half.name, 'half.yaml', TOP, half.id, '2026-11-29T10:00:00Z'), nested: half },
      ...group(half, 1, index + 1),
    ]),
  );
  const { vnfcs } = vnfNodes('one', model, parts);
  expect(vnfcs.map(({ group: name, member, memberCreatedAt }) => [name, member, memberCreatedAt])).toEqual([
    ['GROUP', 'm0', '2026-11-29T10:01:00Z'],
    ['GROUP', 'm0', '2026-11-29T10:02:00Z'],
  ]);
  const { vnfcResourceInfo } = buildInstantiatedVnfInfo({ vnfInstanceId: 'one', flavourId: 'simple', model, inventory: parts });
  expect(vnfcResourceInfo.map(({ metadata }) => metadata?.parent_stack_id)).toEqual([
    'east-group/east-group',
    'west-group/west-group',
  ]);
});
