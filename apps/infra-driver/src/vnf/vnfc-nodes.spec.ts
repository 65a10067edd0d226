import {
  OpenStack,
  readInventory,
  type FloatingIpItem,
  type Inventory,
  type PortItem,
  type ServerItem,
} from '@windlass/openstack';
import { RECORDED_STACK, recordedVim, type FakeVim } from '@windlass/openstack/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { recordedModel } from './testing/recorded-model.js';
import { reachableAt, vnfNodes } from './vnfc-nodes.js';

const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

describe('what a driver is told of the VNFCs', () => {
  let vim: FakeVim | undefined;
  afterEach(() => vim?.close());
  const read = async (): Promise<Inventory> => {
    vim = await recordedVim('03_resources_nested_depth_2');
    const openStack = OpenStack.open(vim.connection());
    const inventory = await readInventory(openStack, RECORDED_STACK);
    openStack.close();
    return inventory;
  };

  it('is group, member, server, addresses by CP and volumes with their devices', async () => {
    const { vnfcs, shared } = vnfNodes(INSTANCE, recordedModel, await read());
    expect(vnfcs.map(({ vduId, group, member, serverName }) => [vduId, group, member, serverName])).toEqual([
      ['VDU1', 'VDU1', 'tyf6s2kqdiz2', 'vn-qkof7y-tyf6s2kqdiz2-kitzsyapuhxh-VDU1-2f2tbhftmle6'],
      ['VDU1', 'VDU1', '2fyfetx44xgq', 'vn-qkof7y-2fyfetx44xgq-l47y7foia7y5-VDU1-2owzh4h4xojk'],
      ['VDU2', undefined, undefined, 'VDU2'],
    ]);
    expect(Object.keys(vnfcs[0]!.cps)).toEqual(['VDU1_CP1', 'VDU1_CP2']);
    expect(vnfcs[0]!.cps.VDU1_CP2).toMatchObject({
      addresses: ['192.168.50.104'],
      networkId: 'cc8b8197-3bd5-4ad2-a50a-7a6713ee6f12',
    });
    expect(vnfcs[2]!.volumes.map(({ name, device, sizeGiB }) => [name, device, sizeGiB])).toEqual([
      ['vol', '/dev/vdb', 1],
      ['bootvol', '/dev/vda', 1],
    ]);
    expect(shared).toEqual({});
  });

  it('is as old as its server, not as Heat’s resource, which may wait for others', async () => {
    const inventory = await read();
    const [first, ...rest] = inventory.servers;
    const servers = [{ ...first!, createdAt: '2026-01-01T00:00:00Z' }, ...rest];
    const { vnfcs } = vnfNodes(INSTANCE, recordedModel, { ...inventory, servers });
    expect(vnfcs.find(({ serverId }) => serverId === first!.physicalId)?.createdAt).toBe(first!.madeAt);
    expect(first!.madeAt).toMatch(/^2026-11-/);
    const missing = { ...inventory, servers: [{ ...servers[0]!, madeAt: undefined }, ...rest] };
    expect(vnfNodes(INSTANCE, recordedModel, missing).vnfcs.map(({ createdAt }) => createdAt)).toContain('2026-01-01T00:00:00Z');
  });

  it('is in a member that is as old as Heat says, however new its server is', async () => {
    const inventory = await read();
    const aged = ({ place, ...server }: ServerItem, at: number): ServerItem => {
      const member = place.member === undefined ? undefined : { ...place.member, createdAt: `2026-01-0${at + 1}T00:00:00Z` };
      return { ...server, place: { ...place, member } };
    };
    const servers = inventory.servers.map(aged);
    const { vnfcs } = vnfNodes(INSTANCE, recordedModel, { ...inventory, servers });
    const ages = servers.map(({ place: { member } }) => [member?.name, member?.createdAt]);
    expect(vnfcs.map(({ member, memberCreatedAt }) => [member, memberCreatedAt]).sort()).toEqual(ages.sort());
    expect(new Set(ages.map(([, createdAt]) => createdAt)).size).toBe(3);
  });

  it('includes a VIP that belongs to nobody, and floating IPs by the name of their resource and of their port', async () => {
    const inventory = await read();
    const port = inventory.ports.find(({ place }) => place.member?.name === '2fyfetx44xgq')!;
    const ip = { id: 'fip', address: '172.24.4.9', portId: port.physicalId, fixedAddress: port.fixedIps[0]!.address };
    const fip: FloatingIpItem = {
      place: { ...port.place, path: ['VDU1', '2fyfetx44xgq', 'VDU1_FloatingIP'] },
      name: 'VDU1_FloatingIP',
      physicalId: ip.id,
      status: 'CREATE_COMPLETE',
      createdAt: port.createdAt,
      address: ip.address,
      portId: ip.portId,
    };
    const vip: PortItem = {
      ...inventory.ports[0]!,
      place: { path: ['vip_CP'], stack: RECORDED_STACK, member: undefined },
      name: 'vip_CP',
      physicalId: 'vip-port',
      serverId: undefined,
      fixedIps: [{ subnetId: 's', address: '10.10.0.9' }],
    };
    const { vnfcs, shared } = vnfNodes(INSTANCE, recordedModel, {
      ...inventory,
      floatingIps: [fip],
      ports: [...inventory.ports.map((it) => (it === port ? { ...it, floatingIp: ip } : it)), vip],
    });
    const node = vnfcs.find(({ member }) => member === '2fyfetx44xgq')!;
    expect(node.cps.VDU1_FloatingIP).toMatchObject({ floatingIp: '172.24.4.9', addresses: [ip.fixedAddress] });
    expect(reachableAt(node.cps.VDU1_CP1!)).toBe('172.24.4.9');
    expect(reachableAt(vnfcs[0]!.cps.VDU1_CP1!)).toBe('10.10.0.103');
    expect(shared).toEqual({ vip_CP: expect.objectContaining({ addresses: ['10.10.0.9'], portId: 'vip-port' }) as unknown });
  });

  it('is reached by its floating IP, else by IPv4 in whatever order Neutron lists both, else by what it has', () => {
    const at = (addresses: string[], floatingIp?: string) =>
      reachableAt({ name: 'CP', portId: 'p', macAddress: undefined, networkId: undefined, addresses, floatingIp });
    expect(at(['fd16::7', '10.16.0.7'])).toBe('10.16.0.7');
    expect(at(['10.16.0.7', 'fd16::7'])).toBe('10.16.0.7');
    expect(at(['fd16::7'])).toBe('fd16::7');
    expect(at(['fd16::7', '10.16.0.7'], '172.24.4.9')).toBe('172.24.4.9');
    expect(at([])).toBeUndefined();
  });
});
