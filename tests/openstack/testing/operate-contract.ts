import { randomUUID } from 'node:crypto';
import { vnfTag } from '@windlass/lifecycle';
import { readInventory, waitForDeletion, waitForStack, type ServerItem } from '@windlass/openstack';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { Actions } from './infra-actions.js';
import { groupFiles, groupParameters, groupTemplate } from './templates.js';

/** Tests that the infra-driver stops and starts servers, and the states in Nova and Heat. The tests build on each other. */
export function operateContract(run: ContractRun): void {
  let actions: Actions;
  const stack = new Made();
  const vnfInstanceId = randomUUID();
  const servers = async (): Promise<ServerItem[]> => (await readInventory(run.openStack, stack.ref)).servers;
  const theServer = async (): Promise<ServerItem> => {
    const [server] = await servers();
    if (server === undefined) throw new Error('the stack has no server');
    return server;
  };
  const inputOf = async (to: 'STARTED' | 'STOPPED', was: 'STARTED' | 'STOPPED'): Promise<JsonObject> => ({
    vnfInstanceId,
    stack: { ...stack.ref },
    vnfcId: 'a-vnfc',
    vduId: 'workerNode',
    serverId: (await theServer()).physicalId ?? '',
    to,
    was,
  });
  const update = (workers: number) => ({
    template: groupTemplate,
    files: groupFiles,
    parameters: groupParameters(workers),
    tags: [run.tag, vnfTag(vnfInstanceId)],
  });

  beforeAll(() => {
    actions = new Actions(run);
  });
  afterAll(() => actions.close());

  describe('a server that is stopped and started by the infra-driver', () => {
    it('is SHUTOFF when the stop has ended, and to stop it again changes nothing', async () => {
      const { heat } = run.openStack;
      stack.set(await heat.createStack({ name: run.name('operated'), ...update(1) }));
      await waitForStack(heat, stack.ref, 'CREATE', run.wait);
      const stop = await inputOf('STOPPED', 'STARTED');
      expect(await actions.isDone('power-server', stop)).toBe(false);
      await actions.do('power-server', stop);
      expect((await theServer()).serverStatus).toBe('SHUTOFF');
      expect(await actions.isDone('power-server', stop)).toBe(true);
      await actions.do('power-server', stop);
      expect((await theServer()).serverStatus).toBe('SHUTOFF');
    });

    it('is refused to be stopped once more by Nova itself, in words, and rests', async () => {
      const { physicalId = '' } = await theServer();
      await expect(run.openStack.nova.powerServer(physicalId, 'stop')).resolves.toBe(false);
      const asked = run.openStack.session.request('compute', {
        method: 'POST',
        path: `/servers/${physicalId}/action`,
        json: { 'os-stop': null },
        expect: [202],
      });
      await expect(asked).rejects.toThrow(`Cannot 'stop' instance ${physicalId} while it is in vm_state stopped`);
      expect((await run.openStack.nova.getServer(physicalId))?.task).toBeUndefined();
    });

    it('stays SHUTOFF, with its ports, while its stack grows beside it', async () => {
      const before = await theServer();
      const { heat } = run.openStack;
      await heat.updateStack(stack.ref, update(2));
      await waitForStack(heat, stack.ref, 'UPDATE', run.wait);
      const after = await servers();
      expect(after.map(({ serverStatus }) => serverStatus).sort()).toEqual(['ACTIVE', 'SHUTOFF']);
      expect(after.find(({ serverStatus }) => serverStatus === 'SHUTOFF')?.physicalId).toBe(before.physicalId);
      await heat.markUnhealthy(
        (await readInventory(run.openStack, stack.ref)).groups[0]?.members.find(({ name }) => name !== before.place.member?.name)
          ?.groupStack ?? stack.ref,
        after.find(({ physicalId }) => physicalId !== before.physicalId)?.place.member?.name ?? '',
        'the contract takes it away again',
      );
      await heat.updateStack(stack.ref, update(1));
      await waitForStack(heat, stack.ref, 'UPDATE', run.wait);
      expect((await theServer()).physicalId).toBe(before.physicalId);
    });

    it('is left alone by an undo of what another operation did, and taken back by that of its own', async () => {
      // The server was STOPPED before: there is nothing to undo.
      await actions.undo('power-server', await inputOf('STOPPED', 'STOPPED'));
      expect((await theServer()).serverStatus).toBe('SHUTOFF');
      await actions.undo('power-server', await inputOf('STARTED', 'STOPPED'));
      expect((await theServer()).serverStatus).toBe('SHUTOFF');
      await actions.undo('power-server', await inputOf('STOPPED', 'STARTED'));
      expect((await theServer()).serverStatus).toBe('ACTIVE');
    });

    it('comes to rest by itself after a forceful cancel, and is found by whoever goes on', async () => {
      const stop = await inputOf('STOPPED', 'STARTED');
      run.holdPower();
      const { physicalId = '' } = await theServer();
      expect(await run.openStack.nova.powerServer(physicalId, 'stop')).toBe(true);
      await expect(actions.stop('power-server', stop)).resolves.toBe(true);
      expect(await actions.isDone('power-server', stop)).toBe(true);
      await actions.do('power-server', await inputOf('STARTED', 'STOPPED'));
      expect((await theServer()).serverStatus).toBe('ACTIVE');
      await run.openStack.heat.deleteStack(stack.ref);
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
    });
  });
}
