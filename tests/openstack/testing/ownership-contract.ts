import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { deploymentTag, imageTag, operationTag, vnfTag } from '@windlass/lifecycle';
import { readInventory, waitForDeletion, waitForStack, type Stack } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { Actions } from './infra-actions.js';
import { serverTemplate } from './templates.js';

/** Tests steps that would change or delete another instance's stack or image. The tests build on each other. */
export function ownershipContract(run: ContractRun): void {
  let actions: Actions;
  const stack = new Made();
  const vnfInstanceId = randomUUID();
  const here = deploymentTag(randomUUID());
  const heat = () => run.openStack.heat;
  beforeAll(() => (actions = new Actions(run)));
  afterAll(() => actions.close());

  const about = (): JsonObject => ({ vnfInstanceId, deploymentTag: here, stack: { ...stack.ref } });
  const marking = (): JsonObject => ({ ...about(), targets: [target] });
  const sized = { update: { parameters: {} }, sizes: { group: 1 }, leaving: [] };
  const resizing = (): JsonObject => ({ ...about(), wanted: sized, earlier: null }) as unknown as JsonObject;
  const tagged = async (tags: string[]): Promise<void> => {
    await heat().updateStack(stack.ref, { tags: [run.tag, ...tags] });
    await waitForStack(heat(), stack.ref, 'UPDATE', run.wait);
  };
  const found = (): Promise<Stack | undefined> => heat().findStack(stack.ref.name);

  /** Each step that would change or delete the stack. */
  const attempts: Record<string, () => Promise<unknown>> = {
    'delete-stack': () => actions.do('delete-stack', about()),
    'mark-unhealthy': () => actions.do('mark-unhealthy', marking()),
    'the undo of mark-unhealthy': () => actions.undo('mark-unhealthy', marking()),
    'replace-servers': () => actions.do('replace-servers', marking()),
    'the stop of replace-servers': () => actions.stop('replace-servers', marking()),
    'resize-stack': () => actions.do('resize-stack', resizing()),
    'remove-stack': () => actions.do('remove-stack', { stack: { ...stack.ref }, tags: [vnfTag(vnfInstanceId)] }),
  };
  const target = { vnfcId: 'v', vduId: 'server', server: { path: ['server'], physicalId: '' }, volumes: [], deletedFirst: null };

  describe('a stack that is not the instance’s', () => {
    it('is there', async () => {
      stack.set(
        await heat().createStack({ name: run.name('owned'), template: serverTemplate('network: net0'), tags: [run.tag] }),
      );
      await waitForStack(heat(), stack.ref, 'CREATE', run.wait);
      const [server] = (await readInventory(run.openStack, stack.ref)).servers;
      target.server.physicalId = server?.physicalId ?? '';
    });

    it.each(Object.keys(attempts))('is refused to %s, by its name, and stays as it is', async (name) => {
      const before = await found();
      await expect(attempts[name]?.()).rejects.toMatchObject({
        name: 'TerminalError',
        code: 'stack.not-ours',
        message: expect.stringContaining(stack.ref.name) as string,
      });
      expect(await found()).toEqual(before);
    });

    it('is let be by the undo of a creation, and by a removal that never knew its id', async () => {
      const before = await found();
      const request = { stackName: stack.ref.name, tags: ['windlass', vnfTag(vnfInstanceId), operationTag(randomUUID()), here] };
      await actions.undo('create-stack', { vnfInstanceId, request });
      await actions.do('remove-stack', { stack: { name: stack.ref.name }, tags: [vnfTag(vnfInstanceId)] });
      expect(await found()).toEqual(before);
    });

    it('is refused too where it is the same instance’s of another deployment', async () => {
      await tagged([vnfTag(vnfInstanceId), deploymentTag(randomUUID())]);
      await expect(actions.do('delete-stack', about())).rejects.toMatchObject({ code: 'stack.not-ours' });
      expect((await found())?.id).toBe(stack.ref.id);
    });
  });

  describe('a stack of an older release', () => {
    it('is known by the instance’s tag, where nothing says of which deployment it is', async () => {
      await tagged([vnfTag(vnfInstanceId)]);
      await actions.do('delete-stack', { vnfInstanceId, stack: { ...stack.ref } });
      await waitForDeletion(heat(), stack.ref, run.wait);
    });
  });

  describe('an image that is not the instance’s', () => {
    const glance = () => run.openStack.glance;
    const theirs = randomUUID();
    const ours = randomUUID();

    it('is refused to delete-image and upload-image, by its name, and stays', async () => {
      await glance().createImage({ id: theirs, name: run.name('theirs'), diskFormat: 'raw', tags: [run.tag] });
      const tags = [vnfTag(vnfInstanceId)];
      const image = { name: 'i', path: 'p', size: 1, diskFormat: 'raw', containerFormat: 'bare', minDisk: 0, minRam: 0 };
      const upload = { vnfInstanceId, vnfPkgId: 'p', imageId: theirs, image };
      for (const refused of [
        () => actions.do('delete-image', { imageId: theirs, tags }),
        () => actions.do('delete-image', { imageId: theirs }),
        () => actions.do('upload-image', upload),
      ]) {
        await expect(refused()).rejects.toMatchObject({
          name: 'TerminalError',
          code: 'image.not-ours',
          message: expect.stringContaining(theirs) as string,
        });
      }
      await actions.undo('upload-image', upload);
      expect(await glance().getImage(theirs)).toMatchObject({ id: theirs });
      await glance().deleteImage(theirs);
    });

    it('is told from one of the instance’s own, which goes', async () => {
      const tags = [run.tag, 'windlass', vnfTag(vnfInstanceId), imageTag(ours)];
      await glance().createImage({ id: ours, name: run.name('ours'), diskFormat: 'raw', tags });
      await actions.do('delete-image', { imageId: ours, tags: [vnfTag(vnfInstanceId)] });
      expect(await glance().getImage(ours)).toBeUndefined();
    });
  });
}
