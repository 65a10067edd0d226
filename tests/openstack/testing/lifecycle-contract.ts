import { buildInstantiatedVnfInfo, vnfNodes, type InfoOfStack } from '@windlass/infra-driver';
import {
  jsonParameter,
  readInventory,
  waitForDeletion,
  waitForStack,
  type GroupMember,
  type Inventory,
} from '@windlass/openstack';
import { describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { groupFiles, groupModel, groupParameters, groupTemplate } from './templates.js';

const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

/** Tests the life of a stack with a group: create, read, grow, heal in both ways, shrink by our choice, delete. The tests build on each other. */
export function lifecycleContract(run: ContractRun): void {
  const stack = new Made();
  const heat = () => run.openStack.heat;
  const read = () => readInventory(run.openStack, stack.ref);
  const infoOf = (inventory: Inventory): InfoOfStack =>
    buildInstantiatedVnfInfo({ vnfInstanceId: INSTANCE, flavourId: 'simple', model: groupModel, inventory });
  const update = async (workers: number) => {
    await heat().updateStack(stack.ref, { parameters: groupParameters(workers) });
    return waitForStack(heat(), stack.ref, 'UPDATE', run.wait);
  };
  const membersOf = ({ groups }: Inventory): GroupMember[] => groups[0]?.members ?? [];
  const idsOf = (inventory: Inventory, member: string, of: 'servers' | 'ports'): (string | undefined)[] =>
    inventory[of].filter(({ place }) => place.member?.name === member).map(({ physicalId }) => physicalId);
  const vnfcsByMember = (inventory: Inventory) =>
    new Map(vnfNodes(INSTANCE, groupModel, inventory).vnfcs.map((node) => [node.member, node.vnfcId]));

  describe('a stack with a group', () => {
    it('is made', async () => {
      const ref = await heat().createStack({
        name: run.name('group'),
        template: groupTemplate,
        files: groupFiles,
        parameters: groupParameters(1),
        tags: [run.tag, 'op-1'],
        timeoutMinutes: 10,
      });
      stack.set(ref);
      let seen = 0;
      const onProgress = ({ total }: { total: number }) => void (seen = Math.max(seen, total));
      const made = await waitForStack(heat(), ref, 'CREATE', { ...run.wait, onProgress });
      expect(made).toMatchObject({ ...ref, status: 'CREATE_COMPLETE', updatedAt: undefined });
      expect(made.tags.toSorted()).toEqual([run.tag, 'op-1'].toSorted());
      const shown = await heat().getStack(ref);
      expect(shown).toMatchObject({ timeoutMinutes: 10 });
      expect(jsonParameter(shown ?? { parameters: {} }, 'nfv')).toEqual(groupParameters(1).nfv);
      expect(seen).toBeGreaterThanOrEqual(10);
    });

    it('is found by its name and its tags, and has the outputs of its template', async () => {
      const found = await heat().findStack(stack.ref.name);
      expect(found?.id).toBe(stack.ref.id);
      const { ports } = await read();
      const vip = ports.find(({ name }) => name === 'vip_CP');
      expect(found?.outputs).toEqual([{ key: 'vip', value: vip?.fixedIps[0]?.address, error: undefined }]);
      const ids = async (tags: string[]) => (await heat().listStacks({ tags })).map(({ id }) => id);
      await expect(ids([run.tag, 'op-1'])).resolves.toEqual([stack.ref.id]);
      await expect(ids([run.tag, 'op-2'])).resolves.toEqual([]);
      await expect(heat().listStacks({ name: stack.ref.name })).resolves.toHaveLength(1);
    });

    it('gives template and files back', async () => {
      await expect(heat().template(stack.ref)).resolves.toMatchObject({
        resources: { worker_instance: { type: 'OS::Heat::AutoScalingGroup' } },
      });
      await expect(heat().files(stack.ref)).resolves.toMatchObject(groupFiles);
    });

    it('is read whole: members, servers, ports, networks, and what drivers need', async () => {
      const inventory = await read();
      expect(inventory.groups.map(({ name, members }) => [name, members.length])).toEqual([['worker_instance', 1]]);
      const { vnfcs, shared } = vnfNodes(INSTANCE, groupModel, inventory);
      expect(vnfcs).toHaveLength(1);
      const [worker] = vnfcs;
      expect(worker).toMatchObject({ vduId: 'workerNode', group: 'worker_instance', serverStatus: 'ACTIVE', zone: 'nova' });
      expect(worker?.cps.workerNode_CP3?.addresses[0]).toMatch(/^192\.168\.77\./);
      expect(worker?.hostId).toMatch(/^[0-9a-f]{56}$/);
      const vip = shared.vip_CP?.addresses[0];
      expect(vip).toBeDefined();
      const cp2 = inventory.ports.find(({ name }) => name === 'workerNode_CP2');
      expect(cp2).toMatchObject({ allowedAddresses: [vip], serverId: worker?.serverId });
      const info = infoOf(inventory);
      expect(info.scaleStatus).toEqual([{ aspectId: 'worker_instance', scaleLevel: 0 }]);
      expect(info.extCpInfo?.map(({ cpdId }) => cpdId).sort()).toEqual(['vip_CP', 'workerNode_CP2']);
      expect(info.vnfVirtualLinkResourceInfo[0]?.vnfLinkPorts).toHaveLength(1);
    });

    it('shows a resource with its attributes', async () => {
      const [member] = membersOf(await read());
      const server = await heat().getResource(member?.stack ?? stack.ref, 'workerNode');
      expect(server).toMatchObject({
        type: 'OS::Nova::Server',
        attributes: { status: 'ACTIVE', name: expect.any(String) as string },
      });
      const port = await heat().getResource(member?.stack ?? stack.ref, 'workerNode_CP2');
      expect(port?.attributes).toMatchObject({
        fixed_ips: [{ ip_address: expect.any(String) as string }],
        mac_address: expect.any(String) as string,
      });
      await expect(heat().getResource(stack.ref, 'none')).resolves.toBeUndefined();
    });

    it('grows by an update with a larger size, which keeps every id and the tags', async () => {
      const before = await read();
      const updated = await update(2);
      expect(updated.tags.sort()).toEqual([run.tag, 'op-1'].sort());
      expect(updated.updatedAt).toBeDefined();
      const after = await read();
      expect(membersOf(after)).toHaveLength(2);
      expect(membersOf(after).map(({ name }) => name)).toContain(membersOf(before)[0]?.name);
      const ids = (inventory: Inventory) =>
        [...inventory.servers, ...inventory.ports, ...inventory.networks].map(({ physicalId }) => physicalId);
      expect(ids(after)).toEqual(expect.arrayContaining(ids(before)));
      expect(ids(after)).toHaveLength(ids(before).length + 3);
      expect(infoOf(after).scaleStatus).toEqual([{ aspectId: 'worker_instance', scaleLevel: 1 }]);
      const hosts = new Set(after.servers.map(({ hostId }) => hostId));
      expect(hosts.size).toBe(2);
    });

    it('does nothing when it is updated with what it has', async () => {
      const before = await read();
      await update(2);
      const after = await read();
      const ids = (inventory: Inventory) => [...inventory.servers, ...inventory.ports].map(({ physicalId }) => physicalId).sort();
      expect(ids(after)).toEqual(ids(before));
    });

    it('heals a nested server that is marked: a new server, in the same stack and with the same ports', async () => {
      const before = await read();
      const [victim, other] = membersOf(before);
      const nested = victim?.stack ?? stack.ref;
      await heat().markUnhealthy(nested, 'workerNode', 'heal');
      await expect(heat().getResource(nested, 'workerNode')).resolves.toMatchObject({
        status: 'CHECK_FAILED',
        statusReason: 'heal',
      });
      await update(2);
      const after = await read();
      const healed = membersOf(after).find(({ name }) => name === victim?.name);
      expect(healed?.stack).toEqual(nested);
      expect(idsOf(after, victim?.name ?? '', 'servers')).not.toEqual(idsOf(before, victim?.name ?? '', 'servers'));
      expect(idsOf(after, victim?.name ?? '', 'ports').sort()).toEqual(idsOf(before, victim?.name ?? '', 'ports').sort());
      expect(idsOf(after, other?.name ?? '', 'servers')).toEqual(idsOf(before, other?.name ?? '', 'servers'));
      expect(vnfcsByMember(after)).toEqual(vnfcsByMember(before));
      const [old] = idsOf(before, victim?.name ?? '', 'servers');
      await expect(run.openStack.nova.getServer(old ?? '')).resolves.toBeUndefined();
    });

    it('heals a member that is marked: everything of it is new but its name', async () => {
      const before = await read();
      const victim = membersOf(before)[1];
      await heat().markUnhealthy(victim?.groupStack ?? stack.ref, victim?.name ?? '', 'heal');
      await update(2);
      const after = await read();
      const healed = membersOf(after).find(({ name }) => name === victim?.name);
      expect(healed?.stack?.id).not.toBe(victim?.stack?.id);
      for (const of of ['servers', 'ports'] as const) {
        const old = idsOf(before, victim?.name ?? '', of);
        expect(idsOf(after, victim?.name ?? '', of).some((id) => old.includes(id))).toBe(false);
      }
      expect(vnfcsByMember(after)).toEqual(vnfcsByMember(before));
    });

    it('takes a mark back', async () => {
      const nested = membersOf(await read())[0]?.stack ?? stack.ref;
      await heat().markUnhealthy(nested, 'workerNode', 'heal');
      await heat().markHealthy(nested, 'workerNode', 'mistake');
      await expect(heat().getResource(nested, 'workerNode')).resolves.toMatchObject({
        status: 'CHECK_COMPLETE',
        statusReason: 'mistake',
      });
    });

    it('shrinks by the member that is marked, whichever it is', async () => {
      const before = await read();
      // Heat by itself would remove the oldest member.
      const newest = membersOf(before).at(-1);
      await heat().markUnhealthy(newest?.groupStack ?? stack.ref, newest?.name ?? '', 'scale in');
      await update(1);
      const after = await read();
      expect(membersOf(after).map(({ name }) => name)).toEqual(
        membersOf(before)
          .slice(0, -1)
          .map(({ name }) => name),
      );
      expect(after.servers).toHaveLength(1);
      expect(after.servers[0]?.physicalId).toBe(idsOf(before, membersOf(before)[0]?.name ?? '', 'servers')[0]);
    });

    it('tells what happened, newest first', async () => {
      const events = await heat().events(stack.ref, { limit: 5 });
      expect(events).toHaveLength(5);
      expect(events[0]).toMatchObject({ resourceName: stack.ref.name, physicalId: stack.ref.id, status: 'UPDATE_COMPLETE' });
      expect([...events].sort((a, b) => (a.time < b.time ? 1 : -1)).map(({ time }) => time)).toEqual(
        events.map(({ time }) => time),
      );
    });

    it('goes with everything in it', async () => {
      const before = await read();
      await expect(heat().deleteStack(stack.ref)).resolves.toBe(true);
      await waitForDeletion(heat(), stack.ref, run.wait);
      await expect(heat().findStack(stack.ref.name)).resolves.toBeUndefined();
      const { nova, neutron } = run.openStack;
      await expect(nova.getServer(before.servers[0]?.physicalId ?? '')).resolves.toBeUndefined();
      const portIds = before.ports.flatMap(({ physicalId }) => physicalId ?? []);
      await expect(neutron.portsById(portIds)).resolves.toEqual([]);
    });
  });
}
