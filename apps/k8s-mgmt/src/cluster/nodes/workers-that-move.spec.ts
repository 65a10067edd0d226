import { crashSuite, undoSuite, type CrashPoints } from '@windlass/driver-kit/testing';
import type { HookContext } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { kubernetesDriver } from '../../kubeadm.driver.js';
import { defaultSettings } from '../../settings/settings.js';
import { bench } from '../../testing/bench.js';
import { FakeCluster } from '../../testing/fake-cluster.js';
import { hookContext, plainParams, reconnected, vnfc } from '../../testing/requests.js';

const MASTER = 'server-master-1';
const [FIRST, SECOND] = ['server-worker-1', 'server-worker-2'];
const HOOK = 'change_external_connectivity_end';

const master = vnfc('master', 1, '10.10.0.24');
/** The first has the address that the second had. */
const workers = [vnfc('worker', 1, '10.10.0.32'), vnfc('worker', 2, '10.10.0.52')];
const earlier = { 'worker-1': '10.10.0.31', 'worker-2': '10.10.0.32' };
const moved = reconnected(HOOK, { vnfcs: [master, ...workers], earlier, cps: ['workerNode_CP2'] });

/** A cluster whose workers have other links by now than it knows. */
function stands(points: CrashPoints = {}): FakeCluster {
  const world = new FakeCluster(points);
  world.begin(MASTER, 'master24', '10.10.0.24');
  // A join whose worker died has left it.
  world.keepToken('abcdef.0123456789abcdef', 'Windlass: a node that joins');
  for (const [server, name, was, is] of [
    [FIRST, 'worker31', '10.10.0.31', '10.10.0.32'],
    [SECOND, 'worker32', '10.10.0.32', '10.10.0.52'],
  ] as const) {
    const address = { ready: true, address: was };
    world.listed.set(name, address);
    world.hostPods.set(`flannel-${name}`, { node: name, address: was });
    Object.assign(world.node(server), {
      ca: world.node(MASTER).ca,
      nodeIp: was,
      links: [is],
      registersAs: [name, address],
    });
  }
  return world;
}

const following = (world: FakeCluster, hook = moved, points: CrashPoints = {}) =>
  bench({ world, hook, requestParams: {}, ...points });

const hostsOf = (world: FakeCluster, server: string) =>
  world
    .node(server)
    .hosts.split('\n')
    .filter((line) => !line.startsWith('#') && line !== '');

const HOSTS = ['10.10.0.24 master24', '10.10.0.32 worker31', '10.10.0.52 worker32'];

function follows({ world }: Pick<ReturnType<typeof following>, 'world'>): void {
  expect(world.listed.get('worker31')?.address).toBe('10.10.0.32');
  expect(world.listed.get('worker32')?.address).toBe('10.10.0.52');
  expect([...world.hostPods.values()].map(({ address }) => address)).toEqual(['10.10.0.32', '10.10.0.52']);
  for (const server of [MASTER, FIRST, SECOND]) expect(hostsOf(world, server)).toEqual(HOSTS);
}

describe('workers whose addresses change', () => {
  it('keep their names, also where one has the address of another; kubelets, pods of their networks and hosts entries follow', async () => {
    const world = stands();
    const made = following(world);
    expect(compilePlan(made.plan).steps.map(({ id }) => id)).toEqual([
      'name-nodes',
      'readdress-node:10.10.0.32',
      'readdress-node:10.10.0.52',
      'update-peers:10.10.0.24',
      'update-peers:10.10.0.32',
      'update-peers:10.10.0.52',
      'verify-cluster',
      'remove-probes',
      'revoke-join-tokens',
      'list-certificates',
    ]);
    await made.runner.run();
    follows(made);
    expect(world.hosts.processes.filter(({ resourceId }) => resourceId === MASTER).map(({ job }) => job)).not.toContain(
      'readdress-node',
    );
  });

  it('run what they ran: a cluster that its user has upgraded is followed too', async () => {
    const world = stands();
    world.upgrade('v1.35.2');
    const made = following(world);
    await made.runner.run();
    follows(made);
  });

  it('are waited for while their machines do not have what their ports have, and it is said what such an image lacks', async () => {
    const world = stands();
    world.node(FIRST).links = ['10.10.0.31'];
    const { runner } = following(world);
    await runner.performOnce('name-nodes');
    await expect(runner.performOnce('readdress-node:10.10.0.32')).rejects.toMatchObject({
      name: 'TransientError',
      code: 'node.try-again',
      message: expect.stringContaining('no link of this machine has the address 10.10.0.32') as string,
    });
    expect(world.node(FIRST).nodeIp).toBe('10.10.0.31');
  });

  it('are all alive before anything is touched, or nothing is', async () => {
    const world = stands();
    const start = {
      ...moved,
      ...reconnected('change_external_connectivity_start', {
        vnfcs: [master, vnfc('worker', 1, '10.10.0.31'), vnfc('worker', 2, '10.10.0.32')],
        earlier: {},
        cps: ['workerNode_CP2'],
      }),
    };
    await following(world, start).runner.run();
    world.listed.set('worker32', { ready: false, address: '10.10.0.32' });
    await expect(following(world, start).runner.run()).rejects.toMatchObject({
      code: 'cluster.moving-node-dead',
      message: expect.stringMatching(/^nothing was changed yet: worker32 is not Ready/) as string,
    });
  });

  it('leave a cluster alone whose addresses have all stayed, or that does not rest on what moves', () => {
    const planned = (hook: Partial<HookContext>) =>
      kubernetesDriver(defaultSettings).plan(hookContext(plainParams(), 0, { ...hook })).root;
    const vnfcs = [master, ...workers];
    const stayed = reconnected(HOOK, { vnfcs, earlier: {}, cps: ['workerNode_CP2'] });
    expect(planned(stayed)).toEqual({ kind: 'sequence', of: [] });
    const other = reconnected('change_external_connectivity_start', { vnfcs, earlier: {}, cps: ['oam_CP'] });
    expect(planned(other)).toEqual({ kind: 'sequence', of: [] });
  });

  it('do not excuse a master that has moved all the same: nothing is done to the cluster', () => {
    const hook = reconnected(HOOK, {
      vnfcs: [vnfc('master', 1, '10.10.0.77'), ...workers],
      earlier: { 'master-1': '10.10.0.24' },
      cps: [],
    });
    expect(() => following(stands(), hook)).toThrow(/server-master-1|master-1.* has 10\.10\.0\.77 by now and had 10\.10\.0\.24/);
  });
});

crashSuite<ReturnType<typeof following>>('a cluster that follows its workers', {
  bench: (points) => following(stands(points), moved, points),
  stands: follows,
});

undoSuite<ReturnType<typeof following>>('a step of it', {
  bench: (points) => following(stands(points), moved, points),
  left: {
    'readdress-node:10.10.0.32': ({ world }) => (world.node(FIRST).nodeIp === '10.10.0.32' ? true : undefined),
    'update-peers:10.10.0.52': ({ world }) => (hostsOf(world, SECOND).includes('10.10.0.52 worker32') ? true : undefined),
  },
});
