import { text } from 'node:stream/consumers';
import { guideParams } from '@windlass/k8s-mgmt/testing';
import { describe, expect, it } from 'vitest';
import { loadSample } from '../crash-points/support/samples.js';
import { VIM } from '../crash-points/support/services.js';
import { World } from '../crash-points/support/world.js';
import { stackInputs } from '../lifecycle/support/desired-world.js';
import { guideBody } from './support/guide-bodies.js';

const ids = { vimId: VIM, networkId: 'net0' };
/** By its id: it is uploaded from the package. */
const node = { flavor: 'm1.medium', image: expect.stringMatching(/^[0-9a-f-]{36}$/) as string };
const NFV = {
  VDU: { masterNode: node, workerNode: node },
  CP: { masterNode_CP1: { network: 'net0' }, workerNode_CP2: { network: 'net0' } },
};

describe('a body of the cluster guide, its ids filled in', () => {
  it.each([
    ['simple', 1, 'kubernetes_vim'],
    ['complex', 3, 'kubernetes_vim_complex'],
    ['podaffinity', 3, 'kubernetes_vim_podaffinity'],
  ] as const)(
    'instantiates our sample on the emulator, whose script has the path and the class that it names: %s',
    async (flavour, masters, vimName) => {
      const sample = await loadSample('kubernetes');
      const world = await World.start(sample, undefined, { showHost: flavour === 'podaffinity' });
      try {
        const id = world.accept('INSTANTIATE', guideBody(flavour, ids));
        await world.settle(id);
        expect(world.opOcc(id).error).toBeNull();
        expect(world.opOcc(id).operationState).toBe('COMPLETED');
        expect(world.journal.steps.get(id)?.map((step) => step.id)).toContain('run-user-data');
        const { 'lcm-operation-user-data': path, 'lcm-operation-user-data-class': name } = guideParams();
        const script = sample.csar.openMember(String(path).replace('./', ''));
        expect(await text(script)).toContain(`class ${String(name)}:`);
        expect((await stackInputs(world)).has.parameters).toMatchObject({ nfv: NFV });
        expect(world.hosts.listed.size).toBe(masters + 2);
        expect([...world.vims.vims.values()].map(({ name }) => name)).toEqual([vimName]);
      } finally {
        await world.close();
      }
    },
  );
});
