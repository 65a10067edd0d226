import { CrashPoints } from '../../crash-points/support/crash-points.js';
import { begin, sceneTitled } from '../../crash-points/support/scenes.js';
import type { World } from '../../crash-points/support/world.js';

/** A moment at which a release leaves an operation to the next release. */
export interface Moment {
  title: string;
  sample: string;
  /** Brings an operation to the moment. Returns the operation's id. */
  reach(world: World): Promise<string>;
}

async function begun(world: World, title: string): Promise<string> {
  const scene = sceneTitled(title);
  for (const earlier of scene.after.map(sceneTitled)) await world.settle(await begin(world, earlier));
  return begin(world, scene);
}

/** Runs an operation until its process dies at a crash point; no other process takes over. */
async function untilDeath(world: World, id: string, point: string): Promise<string> {
  world.points = new CrashPoints(point, 'crash');
  if (!(await world.untilCrashed(id))) throw new Error(`${point} was not passed`);
  return id;
}

async function untilFailure(world: World, id: string, point: string): Promise<string> {
  world.points = new CrashPoints(point, 'failure');
  await world.settle(id);
  if (world.operation(id).status !== 'suspended') throw new Error(`it did not fail ${point}`);
  return id;
}

/** The moments that every release records; a new kind of moment is a new row. */
export const MOMENTS: readonly Moment[] = [
  { title: 'INSTANTIATE before it begins', sample: 'kubernetes', reach: (world) => begun(world, 'INSTANTIATE') },
  {
    title: 'INSTANTIATE while the stack is made',
    sample: 'kubernetes',
    reach: async (world) => untilDeath(world, await begun(world, 'INSTANTIATE'), 'before-apply of create-stack'),
  },
  {
    title: 'INSTANTIATE in the middle of a hook',
    sample: 'kubernetes',
    reach: async (world) =>
      untilDeath(world, await begun(world, 'INSTANTIATE'), 'before-commit of result of instantiate_end/prepare-node:worker3'),
  },
  {
    title: 'INSTANTIATE in FAILED_TEMP',
    sample: 'kubernetes',
    reach: async (world) =>
      untilFailure(world, await begun(world, 'INSTANTIATE'), 'before-apply of instantiate_end/prepare-node:worker4'),
  },
  {
    title: 'INSTANTIATE rolling back',
    sample: 'kubernetes',
    reach: async (world) => {
      const id = await untilFailure(
        world,
        await begun(world, 'INSTANTIATE'),
        'after-effect of instantiate_end/install-runtime:worker4',
      );
      await world.ask(id, 'rollback');
      return untilDeath(world, id, 'before-undo of create-stack');
    },
  },
  { title: 'TERMINATE before it begins', sample: 'kubernetes', reach: (world) => begun(world, 'TERMINATE') },
  {
    title: 'TERMINATE past its pivot',
    sample: 'kubernetes',
    reach: async (world) => untilDeath(world, await begun(world, 'TERMINATE'), 'after-effect of delete-stack'),
  },
  {
    title: 'TERMINATE in FAILED_TEMP',
    sample: 'kubernetes',
    reach: async (world) => untilFailure(world, await begun(world, 'TERMINATE'), 'before-check of delete-stack'),
  },
];
