import { clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { crashSuite, undoSuite, type CrashPoints } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { bench, type BenchOptions } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, INSTANCE, scaled } from '../testing/requests.js';

const WORKER = 'server-worker-2';

/** A cluster that was made by the driver itself. */
async function standing(workers: number) {
  const { world, runner } = bench({ workers });
  await runner.run();
  return world;
}

/** The same of a master and one worker, at once. */
function stands(points: CrashPoints): FakeCluster {
  const world = new FakeCluster(points);
  world.begin('server-master-1', 'master24', '10.10.0.24');
  world.listed.set('worker31', { ready: true, address: '10.10.0.31' });
  world.node('server-worker-1').ca = world.node('server-master-1').ca;
  return world;
}

const operation = (world: FakeCluster, workers: number, hook: Partial<HookContext>, more: BenchOptions = {}) =>
  bench({ workers, world, hook, requestParams: {}, ...more });

const hostsOf = (world: FakeCluster, server: string) =>
  world
    .node(server)
    .hosts.split('\n')
    .filter((line) => !line.startsWith('#') && line !== '');

describe('a worker that comes', () => {
  it('joins, and every node knows the others; nothing else is run on those that were there', async () => {
    const world = await standing(1);
    const before = world.hosts.processes.length;
    const { runner } = operation(world, 2, scaled('scale_end'));
    await runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    const all = ['10.10.0.24 master24', '10.10.0.31 worker31', '10.10.0.32 worker32'];
    for (const server of ['server-master-1', 'server-worker-1', WORKER]) expect(hostsOf(world, server)).toEqual(all);
    const jobs = world.hosts.processes.slice(before);
    expect(jobs.filter(({ resourceId }) => resourceId === 'server-worker-1').map(({ job }) => job)).toEqual(['update-peers']);
    expect(world.tokens.size).toBe(0);
  });

  it('is called so that no other is called so, and nobody is renamed', async () => {
    const world = await standing(1);
    // A node of the guide's form, whose address is another: a namesake that came before this release.
    world.listed.set('worker32', { ready: true, address: '10.10.7.32' });
    const { runner } = operation(world, 2, scaled('scale_end'));
    await runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32', 'worker0-32']);
  });

  it('keeps the name that the cluster has for its address, whatever that is', async () => {
    const world = await standing(2);
    world.listed.delete('worker31');
    world.listed.set('old-name', { ready: true, address: '10.10.0.31' });
    const { runner } = operation(world, 2, scaled('scale_end'));
    await runner.run();
    expect(hostsOf(world, 'server-master-1')).toContain('10.10.0.31 old-name');
  });

  it('does not wait for a worker that is dead, and says what that one does not know', async () => {
    const world = await standing(1);
    world.listed.set('worker31', { ready: false, address: '10.10.0.31' });
    world.hosts.machine('server-worker-1').unreachable = true;
    const { runner } = operation(world, 2, scaled('scale_end'));
    await runner.run();
    expect(runner.outputs.get('verify-cluster')).toMatchObject({
      notes: ['not Ready, and no part of this operation: worker31; heal them'],
    });
    expect(runner.outputs.get('update-peers:10.10.0.31')).toEqual({
      notes: ['worker31 does not answer: its /etc/hosts and no_proxy are as they were'],
    });
  });
});

describe('a worker that goes', () => {
  it('takes no more pods, is emptied, leaves the cluster, and its peers forget it', async () => {
    const world = await standing(2);
    const { runner } = operation(world, 2, scaled('scale_start'));
    await runner.run();
    expect(world.drained).toEqual(['worker32']);
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    expect(hostsOf(world, 'server-worker-1')).toEqual(['10.10.0.24 master24', '10.10.0.31 worker31']);
    expect(
      world.hosts.processes
        .filter(({ job }) => job === 'update-peers')
        .map(({ resourceId }) => resourceId)
        .sort(),
    ).toEqual(['server-master-1', 'server-worker-1']);
  });

  const HELD = {
    pods: ['db-0'],
    said: 'error when evicting pods/"db-0": Cannot evict pod as it would violate the disruption budget',
  };

  it('is drained again where the drain ended and nothing holds it: the API was gone for a moment', async () => {
    const world = await standing(2);
    world.held.set('worker32', { pods: [], said: 'The connection to the server was refused' });
    const { runner } = operation(world, 2, scaled('scale_start'), { requestParams: { drain_force: true } });
    await runner.performOnce('name-nodes');
    await expect(runner.performOnce('drain-node:10.10.0.32')).rejects.toMatchObject({ code: 'node.drain-ended' });
  });

  it('stays where pods do not go in time, which are named with what to do', async () => {
    const world = await standing(2);
    world.held.set('worker32', HELD);
    const { runner } = operation(world, 2, scaled('scale_start'), { requestParams: { drain_timeout_seconds: 20 } });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'node.not-drained',
      message: expect.stringMatching(
        /worker32 still had after 20(\.0)? s: default\/db-0.*disruption budget.*drain_force/,
      ) as string,
    });
    expect(world.listed.has('worker32')).toBe(true);
    await runner
      .action('cordon-node:10.10.0.32')
      .undo?.(runner.runOf('cordon-node:10.10.0.32', { phase: 'undo', epoch: 2, attemptEpoch: 2 }));
    expect(world.cordoned.size).toBe(0);
  });

  it('goes with its pods where the cluster sees only during the drain that it is dead', async () => {
    const world = await standing(2);
    world.held.set('worker32', { ...HELD, dies: true });
    const { runner } = operation(world, 2, scaled('scale_start'));
    await runner.run();
    expect(JSON.stringify(runner.outputs.get('drain-node:10.10.0.32'))).toContain('worker32 did not answer the cluster');
    expect(world.listed.has('worker32')).toBe(false);
  });

  it('goes with its pods where the request says so, and the operation names them', async () => {
    const world = await standing(2);
    world.held.set('worker32', HELD);
    const { runner } = operation(world, 2, scaled('scale_start'), { requestParams: { drain_force: true } });
    await runner.run();
    expect(JSON.stringify(runner.outputs.get('drain-node:10.10.0.32'))).toContain('default/db-0; they go with it');
    expect(world.listed.has('worker32')).toBe(false);
  });

  it('goes with its pods where a retry says so, and has as much time as a retry gives', async () => {
    const world = await standing(2);
    world.held.set('worker32', HELD);
    const requestParams = { drain_timeout_seconds: 20 };
    const longer = operation(world, 2, scaled('scale_start'), { requestParams, retryParams: { drain_timeout_seconds: 40 } });
    await expect(longer.runner.run()).rejects.toMatchObject({ message: expect.stringMatching(/still had after 40/) as string });
    const { runner } = operation(world, 2, scaled('scale_start'), { requestParams, retryParams: { drain_force: true } });
    await runner.run();
    expect(JSON.stringify(runner.outputs.get('drain-node:10.10.0.32'))).toContain('default/db-0; they go with it');
    expect(world.listed.has('worker32')).toBe(false);
  });

  it('is not taken for gone, or for empty, while the API says nothing', async () => {
    const world = await standing(2);
    const { runner } = operation(world, 2, scaled('scale_start'));
    await runner.performOnce('name-nodes');
    world.api = undefined;
    for (const action of ['cordon-node', 'drain-node', 'remove-node'])
      await expect(runner.performOnce(`${action}:10.10.0.32`), action).rejects.toMatchObject({ code: 'cluster.no-answer' });
  });

  it('is not waited for where it is dead', async () => {
    const world = await standing(2);
    world.listed.set('worker32', { ready: false, address: '10.10.0.32' });
    world.hosts.machine(WORKER).unreachable = true;
    const { runner } = operation(world, 2, scaled('scale_start'));
    await runner.run();
    expect(world.drained).toEqual([]);
    expect(world.listed.has('worker32')).toBe(false);
  });
});

/** A token that a step has made: another was there before. */
const newTokenOf = ({ tokens }: FakeCluster): string | undefined => [...tokens.keys()].find((id) => id !== 'abcdef');

const scaleOut = (points: CrashPoints) => {
  const world = stands(points);
  // What an earlier join left behind.
  world.keepToken('abcdef.0123456789abcdef', 'Windlass: for one node to join');
  return bench({ workers: 2, world, hook: scaled('scale_end'), requestParams: {}, ...points });
};

crashSuite('a scale out', {
  bench: scaleOut,
  stands: ({ world }) => {
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    expect(hostsOf(world, 'server-worker-1')).toContain('10.10.0.32 worker32');
    expect(world.tokens.size).toBe(0);
  },
});

undoSuite('a scale out', {
  bench: scaleOut,
  left: {
    'prepare-node:10.10.0.32': ({ world }) => world.node(WORKER).hosts || undefined,
    'install-runtime:10.10.0.32': ({ world }) => world.node(WORKER).containerd || undefined,
    'install-kubernetes:10.10.0.32': ({ world }) => world.node(WORKER).kubernetes,
    // Its VM goes: what the cluster knows of it is all that is left, and a token lets any machine join.
    'join-worker:10.10.0.32': ({ world }) => world.listed.get('worker32') ?? newTokenOf(world),
    'update-peers:10.10.0.31': ({ world }) => hostsOf(world, 'server-worker-1').find((line) => line.endsWith('worker32')),
  },
});

const scaleIn = (points: CrashPoints) => {
  const world = stands(points);
  world.listed.set('worker32', { ready: true, address: '10.10.0.32' });
  const node = world.node(WORKER);
  Object.assign(node, {
    ca: world.node('server-master-1').ca,
    registersAs: ['worker32', { ready: true, address: '10.10.0.32' }],
  });
  return bench({ workers: 2, world, hook: scaled('scale_start'), requestParams: {}, ...points });
};

crashSuite('a scale in', {
  bench: scaleIn,
  stands: ({ world }) => expect([...world.listed.keys()]).toEqual(['master24', 'worker31']),
});

undoSuite('a scale in', {
  bench: scaleIn,
  left: {
    'cordon-node:10.10.0.32': ({ world }) => [...world.cordoned][0],
    'remove-node:10.10.0.32': ({ world }) => (world.listed.has('worker32') ? undefined : 'the cluster without it'),
    'update-peers:10.10.0.31': ({ world }) =>
      hostsOf(world, 'server-worker-1').length === 2 ? 'its peers without it' : undefined,
  },
});

describe('a worker that is healed', () => {
  it('leaves the cluster and joins it anew, under the name that it had', async () => {
    const world = await standing(2);
    await operation(world, 2, healed('heal_start', ['worker-2'])).runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    world.destroy(WORKER);
    await operation(world, 2, healed('heal_end', ['worker-2'])).runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    expect(world.node(WORKER).kubernetes).toBe('1.34.1');
  });

  it('with all the others is a cluster made anew: its VIM goes when its machines have gone, and is registered again', async () => {
    const world = await standing(1);
    const whole = { whole: true, recreates: false };
    const start = operation(world, 1, healed('heal_start', [], whole));
    expect(start.runner.steps.map(({ action }) => action)).toEqual(['check-vim-unused']);
    for (const server of ['server-master-1', 'server-worker-1']) world.destroy(server);
    const end = operation(world, 1, healed('heal_end', [], whole));
    expect(end.runner.steps[0]?.action).toBe('deregister-vim');
    await end.runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    expect(end.vims.vims.has(clusterVimId(INSTANCE))).toBe(true);
  });
});
