import { readInventory, waitForDeletion, waitForStack, type Inventory, type InventoryItem } from '@windlass/openstack';
import { stackInput, type ExtVirtualLink, type InstantiateData, type StackInput } from '@windlass/user-data';
import { readVnfPackage } from '@windlass/vnf-package';
import { csarOf } from '@windlass/vnf-package/testing';
import { describe, expect, it } from 'vitest';
import { shape, type Change } from '../../packages/support/shapes.js';
import { Made, type ContractRun } from './contract-vim.js';

const link = (resourceId: string, cpdId: string): ExtVirtualLink => ({ resourceId, extCps: [{ cpdId, cpConfig: [] }] });
const ids = (items: readonly InventoryItem[]): (string | undefined)[] => items.map(({ physicalId }) => physicalId);

/** Tests that Heat creates, scales and deletes the templates made from VNFDs alone. The tests of a package build on each other. */
export function translatedContract(run: ContractRun): void {
  const heat = () => run.openStack.heat;
  const inputOf = async (name: string, request: InstantiateData, ...changes: readonly Change[]): Promise<StackInput> => {
    const { model } = await readVnfPackage(await csarOf(shape(name, ...changes)));
    return stackInput({ flavour: model.flavours[0]!, request });
  };
  const make = async (stack: Made, name: string, input: StackInput): Promise<Inventory> => {
    stack.set(await heat().createStack({ name: run.name(name), ...input, tags: [run.tag], timeoutMinutes: 10 }));
    await waitForStack(heat(), stack.ref, 'CREATE', run.wait);
    return readInventory(run.openStack, stack.ref);
  };
  const remove = async (stack: Made): Promise<void> => {
    await heat().deleteStack(stack.ref);
    await waitForDeletion(heat(), stack.ref, run.wait);
  };

  describe('a VNFD of two tiers, translated', () => {
    const stack = new Made();
    const request = { extVirtualLinks: [link('net0', 'web_front')] };
    let first: Inventory;

    it('has its servers, ports, network and volume', async () => {
      first = await make(stack, 'tiers', await inputOf('tiers', request));
      const { servers, networks, volumes, ports } = first;
      expect(servers.map(({ name, serverStatus }) => [name, serverStatus]).sort()).toEqual([
        ['db', 'ACTIVE'],
        ['web', 'ACTIVE'],
      ]);
      expect(networks).toMatchObject([{ name: 'back' }]);
      expect(volumes).toMatchObject([{ name: 'db_data', sizeGiB: 2 }]);
      expect(volumes[0]?.attachments).toMatchObject([{ serverId: servers.find(({ name }) => name === 'db')?.physicalId }]);
      const inside = ports
        .filter(({ name }) => name !== 'web_front')
        .flatMap(({ fixedIps }) => fixedIps.map(({ address }) => address));
      expect(inside).toEqual([expect.stringMatching(/^10\.20\.30\.[1-9]\d$/), expect.stringMatching(/^10\.20\.30\.[1-9]\d$/)]);
    });

    it('grows by an update of absolute size, and what was there stays', async () => {
      const input = await inputOf('tiers', { ...request, instantiationLevelId: 'large' });
      await heat().updateStack(stack.ref, input);
      await waitForStack(heat(), stack.ref, 'UPDATE', run.wait);
      const { servers, volumes } = await readInventory(run.openStack, stack.ref);
      expect(servers).toHaveLength(4);
      expect(ids(servers)).toEqual(expect.arrayContaining(ids(first.servers)));
      expect(ids(volumes)).toEqual(ids(first.volumes));
      const hosts = servers.filter(({ name }) => name === 'web').map(({ hostId }) => hostId);
      expect(new Set(hosts).size).toBe(3);
    });

    it('ends with all of it', () => remove(stack));
  });

  describe('a VNFD with an address that servers share, translated', () => {
    const stack = new Made();

    it('has the pairs, the security groups and the server group', async () => {
      const off: Change = {
        member: 'Definitions/vnfd.yaml',
        from: 'floating_ip_activated: true',
        to: 'floating_ip_activated: false',
      };
      const extVirtualLinks = [link('net0', 'node_CP'), link('net0', 'jump_CP'), link('net0', 'shared')];
      const { servers, ports } = await make(stack, 'address', await inputOf('virtual-address', { extVirtualLinks }, off));
      expect(servers.map(({ name }) => name).sort()).toEqual(['jump', 'node', 'node']);
      expect(new Set(servers.map(({ hostId }) => hostId)).size).toBe(1);
      const [shared] = ports.find(({ name }) => name === 'shared')?.fixedIps ?? [];
      const pairs = ports.filter(({ name }) => name === 'node_CP').map(({ allowedAddresses }) => allowedAddresses.toSorted());
      const wanted = ['10.244.0.0/16', shared?.address].sort();
      expect(pairs).toEqual([wanted, wanted]);
    });

    it('ends with all of it', () => remove(stack));
  });
}
