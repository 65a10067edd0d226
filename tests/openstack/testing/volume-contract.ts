import { readInventory, waitForDeletion, waitForStack, waitUntilQuiet } from '@windlass/openstack';
import { describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { volumeParameters, volumeTemplate } from './templates.js';

/** Tests a server with a volume: how it is read, and which heals are possible. The tests build on each other. */
export function volumeContract(run: ContractRun): void {
  const stack = new Made();
  const heat = () => run.openStack.heat;
  const read = () => readInventory(run.openStack, stack.ref);
  const update = async () => {
    await heat().updateStack(stack.ref, { parameters: volumeParameters });
    return waitForStack(heat(), stack.ref, 'UPDATE', run.wait);
  };

  describe('a server with a volume', () => {
    it('is read with size and device of the volume', async () => {
      const name = run.name('volume');
      stack.set(
        await heat().createStack({
          name,
          template: volumeTemplate,
          parameters: volumeParameters,
          tags: [run.tag],
          timeoutMinutes: 10,
        }),
      );
      await waitForStack(heat(), stack.ref, 'CREATE', run.wait);
      const { servers, volumes } = await read();
      expect(volumes).toMatchObject([
        { name: 'storage_server_volume', sizeGiB: 1, attachments: [{ serverId: servers[0]?.physicalId, device: '/dev/vdb' }] },
      ]);
      expect(servers[0]?.volumeIds).toContain(volumes[0]?.physicalId);
    });

    it('is not healed by marking the server alone: the volume is in use', async () => {
      await heat().markUnhealthy(stack.ref, 'storage_server', 'heal');
      await expect(update()).rejects.toMatchObject({ name: 'TerminalError', code: 'stack.update-failed' });
      await waitUntilQuiet(heat(), stack.ref, run.wait);
      const { servers } = await read();
      expect(servers[0]).toMatchObject({ name: 'storage_server', status: expect.stringMatching(/_FAILED$/) as string });
    });

    it('is healed by marking the volume too: both are new, the port is kept', async () => {
      const before = await read();
      for (const name of ['storage_server', 'storage_server_volume']) await heat().markUnhealthy(stack.ref, name, 'heal');
      await update();
      const after = await read();
      expect(after.servers[0]).toMatchObject({ status: 'CREATE_COMPLETE', serverStatus: 'ACTIVE' });
      expect(after.servers[0]?.physicalId).not.toBe(before.servers[0]?.physicalId);
      expect(after.volumes[0]?.physicalId).not.toBe(before.volumes[0]?.physicalId);
      expect(after.volumes[0]?.attachments).toEqual([{ serverId: after.servers[0]?.physicalId, device: '/dev/vdb' }]);
      expect(after.ports[0]?.physicalId).toBe(before.ports[0]?.physicalId);
    });

    it('goes with its volume', async () => {
      const { volumes } = await read();
      await heat().deleteStack(stack.ref);
      await waitForDeletion(heat(), stack.ref, run.wait);
      await expect(run.openStack.cinder.getVolume(volumes[0]?.physicalId ?? '')).resolves.toBeUndefined();
    });
  });
}
