import type { JsonObject } from '@windlass/foundation';
import { clusterVimId } from '@windlass/mgmt-driver';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { INSTANTIATE_REQUESTS } from '../crash-points/support/scene-requests.js';
import { INSTANCE, World } from '../crash-points/support/world.js';
import { play, type Outcome } from './support/desired-world.js';

const ANEW = {};
const IN_PLACE = { additionalParams: { all: false } };
const VIM = clusterVimId(INSTANCE);

let sample: Sample;
let world: World;

beforeAll(async () => {
  sample = await loadSample('kubernetes');
});

beforeEach(async () => {
  world = await World.start(sample);
  const id = world.accept('INSTANTIATE', await INSTANTIATE_REQUESTS.kubernetes!());
  await world.settle(id);
  expect(world.opOcc(id).operationState, JSON.stringify(world.opOcc(id).error)).toBe('COMPLETED');
});

afterEach(() => world.close());

/** Whether the registry has the cluster, and whether the instance names it. The coordinator takes it out of the same table that steps enter it in. */
function registration() {
  const { vims, store, instance } = world;
  return {
    registered: vims.vims.has(VIM) && store.vims.some(({ id }) => id === VIM),
    named: instance.vimConnectionInfo.some(({ vimId }) => vimId === VIM),
  };
}

describe('the registration of a cluster that is healed as a whole', () => {
  beforeEach(() => {
    // In memory, the tables of steps and of the coordinator are two.
    const [any] = world.store.vims;
    world.store.vims.push({ ...any!, id: VIM, isDefault: false });
    expect(registration()).toEqual({ registered: true, named: true });
  });

  it.each<[JsonObject, Outcome, string, boolean]>([
    [IN_PLACE, 'rolled back', 'before-apply of mark-unhealthy', true],
    [IN_PLACE, 'rolled back', 'after-effect of mark-unhealthy', true],
    [IN_PLACE, 'marked as failed', 'after-effect of mark-unhealthy', true],
    [ANEW, 'rolled back', 'before-apply of heal_start/check-vim-unused', true],
    [ANEW, 'marked as failed', 'before-apply of heal_start/check-vim-unused', true],
    [IN_PLACE, 'marked as failed', 'after-effect of replace-servers', false],
    [ANEW, 'marked as failed', 'after-effect of delete-stack', false],
    [ANEW, 'marked as failed', 'before-apply of create-stack', false],
    [ANEW, 'marked as failed', 'before-apply of heal_end/deregister-vim', false],
    [ANEW, 'marked as failed', 'before-apply of heal_end/verify-cluster', false],
    [ANEW, 'marked as failed', 'before-apply of heal_end/register-vim', false],
    [ANEW, 'retried', 'after-effect of delete-stack', true],
    [ANEW, 'completed', 'none', true],
    [IN_PLACE, 'completed', 'none', true],
  ])('is there as long as the cluster is: %j, %s, %s', async (request, outcome, point, there) => {
    const { state, failed } = await play(world, 'HEAL', request, { outcome, point });
    expect(failed, `it fails ${point}`).toBe(outcome !== 'completed');
    const ends = { completed: 'COMPLETED', retried: 'COMPLETED', 'rolled back': 'ROLLED_BACK', 'marked as failed': 'FAILED' };
    expect(state).toBe(ends[outcome]);
    expect(registration()).toEqual({ registered: there, named: there });
    // Whatever it left, what is made anew is registered.
    if (!there) expect((await play(world, 'HEAL', ANEW)).state).toBe('COMPLETED');
    expect(registration().named).toBe(true);
    expect(world.vims.vims.has(VIM)).toBe(true);
  });

  it('holds the heal back while a VNF uses the cluster, also where its machines stay in their places', async () => {
    world.vims.usersOf.set(VIM, ['cnf-1']);
    for (const request of [IN_PLACE, ANEW]) {
      const before = structuredClone(world.instance.instantiated?.vnfcs);
      const id = world.accept('HEAL', request);
      await world.settle(id);
      expect(world.opOcc(id)).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'vim.in-use' } });
      await world.ask(id, 'rollback');
      await world.settle(id);
      expect(world.opOcc(id).operationState).toBe('ROLLED_BACK');
      expect(world.instance.instantiated?.vnfcs).toEqual(before);
      expect(registration()).toEqual({ registered: true, named: true });
    }
  });
});
