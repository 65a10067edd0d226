import { OpenStack, waitForDeletion, waitForStack, type StackSummary } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';

/** A template without resources that take time or room. */
const template = { heat_template_version: '2016-10-14', resources: { word: { type: 'OS::Heat::RandomString' } } };
const OF_NOBODY = '00000000-0000-4000-8000-000000000000';

/** Tests what the watch of stacks relies on in Heat's listing (ADR 87). The tests build on each other. */
export function watchContract(run: ContractRun): void {
  const [one, two] = [new Made(), new Made()];
  let watching: OpenStack;
  beforeAll(() => {
    watching = OpenStack.watching(run.connection);
  });
  afterAll(() => watching.close());
  const listed = async (...ids: string[]): Promise<StackSummary[]> => run.openStack.heat.stacksById(ids);

  describe('a listing of stacks by their ids', () => {
    it('shows each while it is made and when it is, and no other of the project', async () => {
      for (const [made, name] of [
        [one, 'watched-1'],
        [two, 'watched-2'],
      ] as const)
        made.set(await watching.heat.createStack({ name: run.name(name), template, tags: [run.tag] }));
      const ends = [one, two].map(({ ref }) => waitForStack(watching.heat, ref, 'CREATE', run.wait));
      const young = await listed(one.ref.id);
      expect(young).toMatchObject([{ ...one.ref, status: expect.stringMatching(/^CREATE_(IN_PROGRESS|COMPLETE)$/) as string }]);
      for (const end of ends) await expect(end).resolves.toMatchObject({ status: 'CREATE_COMPLETE', deletedAt: undefined });
      const both = await listed(two.ref.id, OF_NOBODY, one.ref.id);
      expect(both.map(({ id }) => id).toSorted()).toEqual([one.ref.id, two.ref.id].toSorted());
      expect(both.map(({ statusReason, tags }) => [statusReason, tags])).toEqual(
        Array(2).fill(['Stack CREATE completed successfully', [run.tag]]),
      );
      await expect(listed(OF_NOBODY)).resolves.toEqual([]);
    });

    it('takes 150 ids at once', async () => {
      const ids = Array.from({ length: 149 }, (_, index) => OF_NOBODY.replace(/.{3}$/, String(index).padStart(3, '0')));
      await expect(listed(...ids, one.ref.id)).resolves.toMatchObject([one.ref]);
    });

    it('shows a deleted one with its status and, once its name is free, when it was deleted', async () => {
      await watching.heat.deleteStack(one.ref);
      await waitForDeletion(watching.heat, one.ref, run.wait);
      await expect(run.openStack.heat.findStack(one.ref.name)).resolves.toBeUndefined();
      const [gone] = await listed(one.ref.id);
      expect(gone).toMatchObject({ ...one.ref, status: 'DELETE_COMPLETE', deletedAt: expect.any(String) as string });
      // Another stack can have the name at once.
      const again = await watching.heat.createStack({ name: one.ref.name, template, tags: [run.tag] });
      await waitForStack(watching.heat, again, 'CREATE', run.wait);
      const shown = await listed(one.ref.id, again.id);
      expect(shown.map(({ id, status }) => [id, status]).toSorted()).toEqual(
        [
          [one.ref.id, 'DELETE_COMPLETE'],
          [again.id, 'CREATE_COMPLETE'],
        ].toSorted(),
      );
    });
  });
}
