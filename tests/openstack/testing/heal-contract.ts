import { seconds, type Json, type JsonObject } from '@windlass/foundation';
import type { VnfModel } from '@windlass/infra-driver';
import { vnfTag, type FindHealTargetsOutput } from '@windlass/lifecycle';
import { readInventory, waitForDeletion, waitForStack, type Inventory } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { Actions } from './infra-actions.js';
import { groupFiles, groupModel, groupParameters, groupTemplate, volumeParameters, volumeTemplate } from './templates.js';

const INSTANCE = '7d7b2fd4-6df1-4a3c-9a63-0d0b8a1a6b55';
/** The number of the VIM's compute hosts: an anti-affinity group of so many servers is full. */
const HOSTS = 3;

/** Tests healing by the infra driver's own actions. The tests build on each other. */
export function healContract(run: ContractRun): void {
  let actions: Actions;
  const tags = [run.tag, vnfTag(INSTANCE)];
  beforeAll(() => (actions = new Actions(run)));
  afterAll(() => actions.close());

  const flavourOf = (model: VnfModel): JsonObject => ({
    id: 'default',
    vdus: model.vdus.map(({ id, storageIds }) => ({ id, storageIds: [...storageIds], initialInstances: 1 })),
    cps: model.cps as unknown as Json,
    virtualLinks: model.virtualLinks as unknown as Json,
    scalingAspects: model.aspects.map(({ id, vdus }) => ({
      id,
      deltas: vdus.map(({ vduId, delta }) => ({ vduId, instances: delta })),
    })),
  });

  const operation = (stack: Made, model: VnfModel) => {
    const about = (): JsonObject => ({ vnfInstanceId: INSTANCE, stack: { name: stack.ref.name, id: stack.ref.id } });
    return {
      read: () => readInventory(run.openStack, stack.ref),
      /** The input, as journaled, of the steps that mark and replace. */
      find: async (requested: { vnfcIds: string[] | null; includesStorage?: boolean }): Promise<JsonObject> => {
        const input = {
          ...about(),
          flavour: flavourOf(model),
          request: { flavourId: 'default' },
          vnfcIds: requested.vnfcIds,
          includesStorage: requested.includesStorage ?? true,
          recreates: false,
        };
        const found = (await actions.do('find-heal-targets', input)) as unknown as FindHealTargetsOutput;
        return { ...about(), targets: found.targets as unknown as Json };
      },
      vnfcIds: async (): Promise<string[]> => {
        const found = (await actions.do('find-heal-targets', {
          ...about(),
          flavour: flavourOf(model),
          request: { flavourId: 'default' },
          vnfcIds: null,
          includesStorage: true,
          recreates: false,
        })) as unknown as FindHealTargetsOutput;
        return found.targets.map(({ vnfcId }) => vnfcId);
      },
    };
  };

  const ids = (items: Inventory['servers' | 'ports' | 'volumes']): string[] =>
    items.flatMap(({ physicalId }) => physicalId ?? []).sort();
  const kept = (before: string[], after: string[]): number => after.filter((id) => before.includes(id)).length;

  describe('a full anti-affinity group', () => {
    const stack = new Made();
    const { read, find, vnfcIds } = operation(stack, groupModel);

    it('is made, with a member on every host', async () => {
      const parameters = groupParameters(HOSTS);
      const spec = { name: run.name('full'), template: groupTemplate, files: groupFiles, parameters, tags };
      stack.set(await run.openStack.heat.createStack({ ...spec, timeoutMinutes: 10 }));
      await waitForStack(run.openStack.heat, stack.ref, 'CREATE', run.wait);
      expect(new Set((await read()).servers.map(({ hostId }) => hostId)).size).toBe(HOSTS);
    });

    it('is not shown to its user by the hosts that it is on: a driver that needs those is told so before anything is made', async () => {
      await expect(actions.do('see-compute-hosts', {})).rejects.toMatchObject({
        code: 'vim.compute-host-hidden',
        message: expect.stringContaining('does not show user') as string,
      });
    });

    it('has the marks of a heal taken back when that is rolled back, and nothing is replaced', async () => {
      const before = await read();
      const input = await find({ vnfcIds: (await vnfcIds()).slice(0, 2) });
      await actions.do('mark-unhealthy', input);
      const marked = (await read()).servers.filter(({ status }) => status === 'CHECK_FAILED');
      expect(marked).toHaveLength(2);
      expect(await actions.isDone('mark-unhealthy', input)).toBe(true);
      await actions.undo('mark-unhealthy', input);
      const after = await read();
      expect(after.servers.filter(({ status }) => status === 'CHECK_FAILED')).toEqual([]);
      expect(ids(after.servers)).toEqual(ids(before.servers));
    });

    it('gets one VNFC healed: another server, the same ports, the others untouched', async () => {
      const before = await read();
      const [first = ''] = await vnfcIds();
      const input = await find({ vnfcIds: [first] });
      expect(input.targets).toMatchObject([{ vnfcId: first, deletedFirst: 'anti-affinity' }]);
      await actions.do('mark-unhealthy', input);
      await actions.do('replace-servers', input);
      const after = await read();
      expect(kept(ids(before.servers), ids(after.servers))).toBe(HOSTS - 1);
      expect(ids(after.ports)).toEqual(ids(before.ports));
      expect(after.servers.map(({ serverStatus }) => serverStatus)).toEqual(Array(HOSTS).fill('ACTIVE'));
      expect(after.status).toBe('UPDATE_COMPLETE');
      expect(await vnfcIds()).toContain(first);
    });

    it('is not healed twice when the worker dies after its update has begun, nor by another replay', async () => {
      const before = await read();
      const input = await find({ vnfcIds: (await vnfcIds()).slice(0, 1) });
      await actions.do('mark-unhealthy', input);
      const lease = new AbortController();
      const dies = (line: string): void => {
        if (/ of \d+ resources$/.test(line)) lease.abort(new Error('the worker died'));
      };
      run.hold(stack.ref.name, seconds(1));
      await expect(actions.do('replace-servers', input, { signal: lease.signal, onProgress: dies })).rejects.toThrow();
      await actions.do('replace-servers', input);
      const after = await read();
      expect(kept(ids(before.servers), ids(after.servers))).toBe(HOSTS - 1);
      const updates = (inventory: Inventory) => run.openStack.heat.events(inventory.stack, { limit: 100 });
      const begun = (await updates(after)).filter(
        ({ status, resourceName }) => status === 'UPDATE_IN_PROGRESS' && resourceName === stack.ref.name,
      );
      await actions.do('mark-unhealthy', input);
      await actions.do('replace-servers', input);
      expect(await actions.isDone('replace-servers', input)).toBe(true);
      expect(ids((await read()).servers)).toEqual(ids(after.servers));
      const again = (await updates(after)).filter(
        ({ status, resourceName }) => status === 'UPDATE_IN_PROGRESS' && resourceName === stack.ref.name,
      );
      // One request of the test before, and one of this test.
      expect([begun.length, again.length]).toEqual([2, 2]);
    });

    it('goes on with what is left when one of two was replaced before: the replacement stays', async () => {
      const both = await find({ vnfcIds: (await vnfcIds()).slice(0, 2) });
      const first = { ...both, targets: (both.targets as Json[]).slice(0, 1) };
      await actions.do('mark-unhealthy', first);
      await actions.do('replace-servers', first);
      const half = await read();
      await actions.do('mark-unhealthy', both);
      await actions.do('replace-servers', both);
      const after = await read();
      expect(kept(ids(half.servers), ids(after.servers))).toBe(HOSTS - 1);
      expect(await actions.isDone('replace-servers', both)).toBe(true);
    });

    it('goes on with marks and update when the worker died after the servers were deleted', async () => {
      const before = await read();
      const input = await find({ vnfcIds: (await vnfcIds()).slice(0, 1) });
      await actions.do('mark-unhealthy', input);
      const lease = new AbortController();
      const dies = (line: string): void => {
        if (line === 'replacing') lease.abort(new Error('the worker died'));
      };
      await expect(actions.do('replace-servers', input, { signal: lease.signal, onProgress: dies })).rejects.toThrow();
      expect((await read()).servers.filter(({ serverStatus }) => serverStatus === undefined)).toHaveLength(1);
      await actions.do('replace-servers', input);
      const after = await read();
      expect(kept(ids(before.servers), ids(after.servers))).toBe(HOSTS - 1);
      expect(after.servers.map(({ serverStatus }) => serverStatus)).toEqual(Array(HOSTS).fill('ACTIVE'));
    });

    it('is healed whole, in its places, when no VNFC is named', async () => {
      const before = await read();
      const input = await find({ vnfcIds: null });
      await actions.do('mark-unhealthy', input);
      await actions.do('replace-servers', input);
      const after = await read();
      expect(kept(ids(before.servers), ids(after.servers))).toBe(0);
      expect(ids(after.servers)).toHaveLength(HOSTS);
      expect(ids(after.ports)).toEqual(ids(before.ports));
    });

    it('has its update ended by a forceful cancel, and a retry of it ends well', async () => {
      const before = await read();
      const input = await find({ vnfcIds: (await vnfcIds()).slice(0, 1) });
      await actions.do('mark-unhealthy', input);
      const lease = new AbortController();
      const cancel = (line: string): void => {
        if (/ of \d+ resources$/.test(line)) lease.abort(new Error('cancelled'));
      };
      run.hold(stack.ref.name, seconds(1));
      await expect(actions.do('replace-servers', input, { signal: lease.signal, onProgress: cancel })).rejects.toThrow();
      await expect(actions.stop('replace-servers', input)).resolves.toBe(true);
      // The emulator may have ended the update before the cancel.
      expect((await read()).status).toMatch(/^UPDATE_(FAILED|COMPLETE)$/);
      await expect(run.openStack.heat.cancelUpdate(stack.ref)).resolves.toBe(false);
      await actions.do('replace-servers', input);
      const after = await read();
      expect(kept(ids(before.servers), ids(after.servers))).toBe(HOSTS - 1);
      expect(after.status).toBe('UPDATE_COMPLETE');
    });

    it('goes', async () => {
      await run.openStack.heat.deleteStack(stack.ref);
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
    });
  });

  describe('a VNFC with a volume', () => {
    const stack = new Made();
    const model: VnfModel = {
      vdus: [{ id: 'storage_server', storageIds: ['storage_server_volume'] }],
      cps: [{ id: 'storage_server_CP', vduId: 'storage_server' }],
      virtualLinks: [],
      aspects: [],
    };
    const { read, find } = operation(stack, model);

    it('is made', async () => {
      const spec = { name: run.name('kept'), template: volumeTemplate, parameters: volumeParameters, tags };
      stack.set(await run.openStack.heat.createStack({ ...spec, timeoutMinutes: 10 }));
      await waitForStack(run.openStack.heat, stack.ref, 'CREATE', run.wait);
    });

    it.each([
      [true, 'volume and all'],
      [false, 'and keeps the volume, which the new server has'],
    ])('is healed (storage included: %s), %s', async (includesStorage) => {
      const before = await read();
      const input = await find({ vnfcIds: null, includesStorage });
      expect(input.targets).toMatchObject([{ deletedFirst: includesStorage ? null : 'keeps-volumes' }]);
      await actions.do('mark-unhealthy', input);
      await actions.do('replace-servers', input);
      const after = await read();
      expect(kept(ids(before.servers), ids(after.servers))).toBe(0);
      expect(kept(ids(before.volumes), ids(after.volumes))).toBe(includesStorage ? 0 : 1);
      expect(after.volumes[0]?.attachments).toMatchObject([{ serverId: after.servers[0]?.physicalId }]);
      expect(ids(after.ports)).toEqual(ids(before.ports));
    });

    it('goes with its volume', async () => {
      await run.openStack.heat.deleteStack(stack.ref);
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
    });
  });
}
