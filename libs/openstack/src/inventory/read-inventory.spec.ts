import { afterEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import type { FakeVim } from '../testing/fake-vim.js';
import { RECORDED_STACK, recordedVim } from '../testing/recorded-vim.js';
import { readInventory } from './read-inventory.js';

describe('the inventory of a stack', () => {
  let vim: FakeVim | undefined;
  afterEach(() => vim?.close());
  const read = async (listing: string, status?: string) => {
    vim = await recordedVim(listing, status);
    const openStack = OpenStack.open(vim.connection());
    try {
      return await readInventory(openStack, RECORDED_STACK);
    } finally {
      openStack.close();
    }
  };

  it('has the members of each group, oldest first, with the stack each is', async () => {
    const { groups } = await read('06_resources_nested_depth_2', 'UPDATE_COMPLETE');
    expect(groups.map(({ name, stack, members }) => [name, stack?.id, members.map((member) => member.name)])).toEqual([
      ['VDU1', 'cdf3898e-25d6-47e9-9fda-f109b7002ad9', ['tyf6s2kqdiz2', '2fyfetx44xgq', 'lgigig2nmtiy']],
    ]);
    expect(groups[0]!.members[0]).toEqual({
      group: 'VDU1',
      name: 'tyf6s2kqdiz2',
      groupStack: { name: 'vnf-a-VDU1-k33j44qkof7y', id: 'cdf3898e-25d6-47e9-9fda-f109b7002ad9' },
      stack: { name: 'vnf-a-VDU1-k33j44qkof7y-tyf6s2kqdiz2-kitzsyapuhxh', id: '6fa47b56-21e5-44a4-b9f3-7a4ca1b05b9e' },
      createdAt: '2026-11-20T23:48:00Z',
      status: 'UPDATE_COMPLETE',
      statusReason: 'state changed',
    });
  });

  it('has servers, ports, volumes and networks where they stand, with what their services say', async () => {
    const { servers, ports, volumes, networks } = await read('03_resources_nested_depth_2');
    expect(servers.map(({ place }) => place.path.join('/')).sort()).toEqual([
      'VDU1/2fyfetx44xgq/VDU1',
      'VDU1/tyf6s2kqdiz2/VDU1',
      'VDU2',
    ]);
    expect(servers.find(({ name }) => name === 'VDU2')).toMatchObject({
      place: { path: ['VDU2'], stack: RECORDED_STACK, member: undefined },
      physicalId: '46f89f33-e29b-4d11-8e8d-034fd76ea2af',
      serverName: 'VDU2',
      serverStatus: 'ACTIVE',
      zone: 'nova',
    });
    expect(ports).toHaveLength(5);
    expect(ports.find(({ place }) => place.member?.name === '2fyfetx44xgq')).toMatchObject({
      place: { member: { group: 'VDU1', name: '2fyfetx44xgq' } },
      serverId: '4c5606c8-fa0b-4129-896e-35a72482be9f',
    });
    expect(volumes.map(({ name, sizeGiB, attachments }) => [name, sizeGiB, attachments[0]?.device])).toEqual([
      ['vol', 1, '/dev/vdb'],
      ['bootvol', 1, '/dev/vda'],
    ]);
    expect(networks.map(({ name, physicalId }) => [name, physicalId])).toEqual([
      ['intnet', 'cc8b8197-3bd5-4ad2-a50a-7a6713ee6f12'],
    ]);
  });

  it('keeps the place of a server whose replacement failed', async () => {
    const { servers } = await read('volume_10_resources_after_failed_heal', 'UPDATE_FAILED');
    const vdu2 = servers.find(({ name }) => name === 'VDU2');
    expect(vdu2).toMatchObject({ physicalId: undefined, serverStatus: undefined, place: { path: ['VDU2'] } });
  });

  it('takes few requests: one listing, one for all ports, one a server and a volume', async () => {
    await read('03_resources_nested_depth_2');
    const asked = (prefix: string) => vim!.serviceRequests.filter(({ path }) => path.startsWith(prefix)).length;
    expect([asked('/heat'), asked('/nova'), asked('/neutron'), asked('/cinder')]).toEqual([2, 3, 2, 2]);
  });

  it('of a stack that is gone is heat.stack-not-found', async () => {
    vim = await recordedVim('03_resources_nested_depth_2');
    const openStack = OpenStack.open(vim.connection());
    await expect(readInventory(openStack, { name: 'vnf-a', id: 'other' })).rejects.toMatchObject({
      code: 'heat.stack-not-found',
    });
    openStack.close();
  });
});
