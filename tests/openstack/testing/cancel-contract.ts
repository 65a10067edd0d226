import { randomUUID } from 'node:crypto';
import { operationTag, undoTag, vnfTag } from '@windlass/lifecycle';
import { readInventory, waitForDeletion, type Inventory } from '@windlass/openstack';
import { minutes, seconds, type Json, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { Actions } from './infra-actions.js';
import { groupFiles, groupParameters, groupTemplate } from './templates.js';

const GROUP = 'worker_instance';

/** Tests a forceful cancel while Heat makes or updates a stack, and what comes after. The tests build on each other. */
export function cancelContract(run: ContractRun): void {
  let actions: Actions;
  const stack = new Made();
  const vnfInstanceId = randomUUID();
  const request = (workers: number, ...tags: string[]) => ({
    template: groupTemplate,
    files: groupFiles,
    parameters: groupParameters(workers),
    tags: ['windlass', run.tag, vnfTag(vnfInstanceId), ...tags],
    timeoutMinutes: 10,
  });
  const creation = (): JsonObject => ({
    vnfInstanceId,
    request: { stackName: run.name('cancelled'), ...request(2, operationTag(actions.operationId)) },
  });
  const read = (): Promise<Inventory> => readInventory(run.openStack, stack.ref);
  const members = (inventory: Inventory): string[] => inventory.groups.flatMap((group) => group.members.map(({ name }) => name));
  const servers = (inventory: Inventory): (string | undefined)[] => inventory.servers.map(({ physicalId }) => physicalId);

  /** Runs an action until Heat is at work, aborts its signal, and has the action stopped. */
  async function cancelled(kind: 'do' | 'undo', name: string, input: JsonObject): Promise<void> {
    run.hold(run.name('cancelled'), minutes(10));
    const lease = new AbortController();
    const onProgress = (line: string): void => {
      if (/ of \d+ resources$/.test(line)) lease.abort(new Error('cancelled'));
    };
    await expect(actions[kind](name, input, { signal: lease.signal, onProgress })).rejects.toThrow();
    expect(lease.signal.aborted).toBe(true);
    await expect(actions.stop(name, input)).resolves.toBe(true);
  }

  beforeAll(() => {
    actions = new Actions(run);
  });
  afterAll(() => actions.close());

  describe('a stack whose creation is cancelled by force', () => {
    it('is CREATE_FAILED by that, and nothing in it goes on', async () => {
      await cancelled('do', 'create-stack', creation());
      const found = await run.openStack.heat.findStack(run.name('cancelled'));
      expect(found).toMatchObject({ status: 'CREATE_FAILED', statusReason: 'Stack CREATE cancelled' });
      stack.set({ name: found!.name, id: found!.id });
      const resources = await run.openStack.heat.listResources(stack.ref);
      expect(resources.filter(({ status }) => status.endsWith('_IN_PROGRESS'))).toEqual([]);
      await expect(run.openStack.heat.cancelUpdate(stack.ref)).resolves.toBe(false);
    });

    it('is made anew by a retry', async () => {
      const before = stack.ref;
      const { stack: made } = (await actions.do('create-stack', creation())) as { stack: { name: string; id: string } };
      expect(made.id).not.toBe(before.id);
      stack.set(made);
      expect(members(await read())).toHaveLength(2);
    });
  });

  describe('a stack whose update is cancelled by force', () => {
    let before: Inventory;
    let input: JsonObject;

    it('is UPDATE_FAILED by that, keeps its members, and nothing in it goes on', async () => {
      before = await read();
      actions.operationId = randomUUID();
      input = {
        vnfInstanceId,
        stack: { ...stack.ref },
        wanted: { update: request(3, operationTag(actions.operationId)), sizes: { [GROUP]: 3 }, leaving: [] },
        earlier: {
          update: request(2, undoTag(actions.operationId)),
          sizes: { [GROUP]: 2 },
          staying: members(before).map((member) => ({ group: GROUP, member })),
        },
      } as unknown as JsonObject;
      await cancelled('do', 'resize-stack', input);
      const found = await run.openStack.heat.getStack(stack.ref);
      expect(found).toMatchObject({ status: 'UPDATE_FAILED', statusReason: 'Stack UPDATE cancelled' });
      const after = await read();
      expect(members(after)).toEqual(expect.arrayContaining(members(before)));
      expect(servers(after)).toEqual(expect.arrayContaining(servers(before)));
    });

    it('has the size after a retry, with the servers that it had', async () => {
      await actions.do('resize-stack', input);
      const after = await read();
      expect(after.status).toBe('UPDATE_COMPLETE');
      expect(members(after)).toHaveLength(3);
      expect(servers(after)).toEqual(expect.arrayContaining(servers(before)));
    });

    it('is as it was before after a roll-back, also where that was cancelled once', async () => {
      await cancelled('undo', 'resize-stack', input);
      expect((await run.openStack.heat.getStack(stack.ref))?.status).toBe('UPDATE_FAILED');
      await actions.undo('resize-stack', input);
      const after = await read();
      expect(members(after)).toEqual(members(before));
      expect(servers(after).sort()).toEqual(servers(before).sort());
    });

    it('is not touched where another operation is at work on it', async () => {
      const theirs = { ...request(2, operationTag(randomUUID())) };
      run.hold(stack.ref.name, seconds(1));
      await run.openStack.heat.updateStack(stack.ref, { ...theirs, parameters: groupParameters(1) });
      await expect(actions.stop('resize-stack', input)).resolves.toBe(true);
      expect((await run.openStack.heat.getStack(stack.ref))?.status).not.toBe('UPDATE_FAILED');
    });

    it('goes, and a cancel has to let the deletion end', async () => {
      run.hold(stack.ref.name, seconds(1));
      await run.openStack.heat.deleteStack(stack.ref);
      const stopped = actions.stop('delete-stack', { stack: { ...stack.ref } as unknown as Json });
      await expect(stopped).rejects.toMatchObject({ code: 'stack.deletion-goes-on' });
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
    });
  });
}
