import { waitForDeletion, waitForStack, waitUntilQuiet } from '@windlass/openstack';
import { describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { groupFiles, groupParameters, groupTemplate, portTemplate, serverTemplate } from './templates.js';

/** Tests what Heat refuses, how a creation fails, and that the name is free again. */
export function refusalContract(run: ContractRun): void {
  const heat = () => run.openStack.heat;
  const create = (name: string, template: string, parameters = {}, files = {}) =>
    heat().createStack({ name: run.name(name), template, parameters, files, tags: [run.tag], timeoutMinutes: 5 });

  describe('Heat refuses', () => {
    it('a template with an unknown flavour, image or network, before anything is made, in words that name it', async () => {
      for (const wrong of ['flavor: m1.none', 'image: no-such-image', 'network: no-such-net']) {
        const refused = await create('refused', serverTemplate(wrong)).catch((error: unknown) => error);
        const name = expect.stringContaining(wrong.split(': ')[1] ?? '') as string;
        expect(refused).toMatchObject({ name: 'TerminalError', code: 'heat.template-invalid', message: name });
      }
      await expect(heat().findStack(run.name('refused'))).resolves.toBeUndefined();
    });

    it('a template without its nested one, with an unknown type, or that is none', async () => {
      const unknownType = portTemplate().replace('OS::Neutron::Port', 'OS::Neutron::Harbour');
      for (const [template, files] of [
        [groupTemplate, {}],
        [unknownType, {}],
        ['resources: {}', {}],
      ] as const) {
        await expect(create('refused', template, groupParameters(1), files)).rejects.toMatchObject({
          name: 'TerminalError',
          code: expect.stringMatching(/^(openstack\.bad-request|heat\.template-invalid)$/) as string,
        });
      }
    });

    it('to know a stack, a resource or a template that is not there', async () => {
      const none = { name: run.name('none'), id: '00000000-0000-4000-8000-000000000000' };
      await expect(heat().findStack(none.name)).resolves.toBeUndefined();
      await expect(heat().getStack(none)).resolves.toBeUndefined();
      await expect(heat().deleteStack(none)).resolves.toBe(false);
      const calls = [
        () => heat().listResources(none),
        () => heat().updateStack(none, {}),
        () => heat().template(none),
        () => heat().markUnhealthy(none, 'a', 'b'),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'heat.stack-not-found' });
      await expect(heat().getResource(none, 'port')).resolves.toBeUndefined();
    });
  });

  describe('a group whose members have an unknown flavour or image', () => {
    it('is taken, and CREATE_FAILED then, with the words of the member', async () => {
      const wrong = { flavor: 'm1.none', image: 'no-such-image' };
      const refs = await Promise.all(
        Object.entries(wrong).map(([what, name]) =>
          create(`group-${what}`, groupTemplate, groupParameters(1, { [what]: name }), groupFiles),
        ),
      );
      for (const [index, name] of Object.values(wrong).entries()) {
        const ref = refs[index] ?? { name: '', id: '' };
        await expect(waitForStack(heat(), ref, 'CREATE', run.wait)).rejects.toMatchObject({
          code: 'stack.create-failed',
          message: expect.stringContaining(name) as string,
        });
        await waitUntilQuiet(heat(), ref, run.wait);
        await heat().deleteStack(ref);
      }
      for (const ref of refs) await waitForDeletion(heat(), ref, run.wait);
    });
  });

  describe('a stack that can be refused only when it is made', () => {
    const failed = new Made();
    const name = 'failing';

    it('is CREATE_FAILED, with the words of the service that refused and the resource', async () => {
      failed.set(await create(name, portTemplate('203.0.113.7')));
      await expect(waitForStack(heat(), failed.ref, 'CREATE', run.wait)).rejects.toMatchObject({
        name: 'TerminalError',
        code: 'stack.create-failed',
        title: 'Stack create failed',
        message: expect.stringMatching(/port.*203\.0\.113\.7/s) as string,
      });
      const [resource] = await heat().listResources(failed.ref);
      expect(resource).toMatchObject({ name: 'port', status: 'CREATE_FAILED', physicalId: undefined });
    });

    it('still has its name, which is refused to another', async () => {
      await expect(create(name, portTemplate())).rejects.toMatchObject({ name: 'TerminalError', code: 'heat.stack-exists' });
    });

    it('can be mended by an update', async () => {
      await heat().updateStack(failed.ref, { template: portTemplate() });
      await expect(waitForStack(heat(), failed.ref, 'UPDATE', run.wait)).resolves.toMatchObject({
        status: 'UPDATE_COMPLETE',
        id: failed.ref.id,
      });
    });

    it('gives its name to another as soon as it is deleted', async () => {
      await expect(heat().deleteStack(failed.ref)).resolves.toBe(true);
      await waitForDeletion(heat(), failed.ref, run.wait);
      await expect(heat().findStack(failed.ref.name)).resolves.toBeUndefined();
      await expect(heat().deleteStack(failed.ref)).resolves.toBe(false);
      const next = await create(name, portTemplate());
      expect(next.id).not.toBe(failed.ref.id);
      await waitForStack(heat(), next, 'CREATE', run.wait);
      const gone = await heat().getStack(failed.ref);
      expect(gone === undefined || gone.status === 'DELETE_COMPLETE').toBe(true);
      await heat().deleteStack(next);
      await waitForDeletion(heat(), next, run.wait);
    });
  });
}
