import type { HookContext } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, reconnected, scaled, vnfc } from '../testing/requests.js';

const MASTER = 'server-master-1';
const MIB = 1024 * 1024;

/** An operation on a cluster of a master and one worker, before the VM of a newcomer is made. */
function operation(set: (world: FakeCluster) => void = () => undefined, hook: Partial<HookContext> = out) {
  const world = new FakeCluster();
  world.begin(MASTER, 'master24', '10.10.0.24');
  world.listed.set('worker31', { ready: true, address: '10.10.0.31' });
  set(world);
  return bench({ workers: 1, world, hook, requestParams: {} });
}

const out: Partial<HookContext> = { ...scaled('scale_start'), affectedVnfcs: [] };

describe('a snapshot of the control plane', () => {
  it('is kept whole before a scale, part by part, and nothing of it stays on the master', async () => {
    const { runner, vims, world } = operation();
    await runner.run();
    expect(vims.snapshots).toEqual([world.snapshots.content]);
    expect(world.snapshots.left.size).toBe(0);
    expect(runner.outputs.get('keep-snapshot')).toBeUndefined();
  });

  const master = vnfc('master', 1, '10.10.0.24');
  const worker = vnfc('worker', 1, '10.10.0.31');
  it.each([
    ['a scale out', out, 'name-nodes'],
    ['a scale in', scaled('scale_start'), 'cordon-node:10.10.0.31'],
    ['a heal of a node', healed('heal_start', ['worker-1']), 'cordon-node:10.10.0.31'],
    [
      'another connection',
      reconnected('change_external_connectivity_start', { vnfcs: [master, worker], earlier: {}, cps: ['workerNode_CP2'] }),
      'check-moving',
    ],
  ] as const)('comes before anything that %s changes', (_name, hook, first) => {
    const ids = operation(undefined, hook as Partial<HookContext>).runner.steps.map(({ id }) => id);
    expect(ids).toContain('keep-snapshot');
    const at = ids.indexOf(first);
    expect(at < 0 || ids.indexOf('keep-snapshot') < at, ids.join()).toBe(true);
  });

  it('is there as soon as the cluster is, and not before its nodes are seen to be well', () => {
    const ids = bench().runner.steps.map(({ id }) => id);
    expect(ids.indexOf('keep-snapshot')).toBeGreaterThan(ids.indexOf('verify-cluster'));
    expect(ids.indexOf('keep-snapshot')).toBeLessThan(ids.indexOf('register-vim'));
  });

  it('is all that is done where somebody asks for one, on no machine beside another step', async () => {
    const request = { windlassSnapshots: 'take' };
    const hook: Partial<HookContext> = { hook: 'modify_information_end', request, vnfcs: [master, worker] };
    const { runner, vims, world } = operation(undefined, hook);
    expect(runner.steps.map(({ id, limitKeys }) => [id, limitKeys])).toEqual([['keep-snapshot', [`host:${master.resourceId}`]]]);
    await runner.run();
    expect(vims.snapshots).toEqual([world.snapshots.content]);
    expect(runner.outputs.get('keep-snapshot')).toBeUndefined();
  });

  it('is not taken of a cluster that is healed as a whole, nor of one that is terminated', () => {
    for (const hook of [healed('heal_start', ['master-1', 'worker-1'], { whole: true }), { hook: 'terminate_start' as const }])
      expect(operation(undefined, hook).runner.steps.map(({ id }) => id)).not.toContain('keep-snapshot');
  });

  it.each<[string, (world: FakeCluster) => void, RegExp]>([
    [
      'etcd does not let itself be saved',
      ({ snapshots }) => (snapshots.failure = 'Error: rpc error: permission denied'),
      /no snapshot of the control plane was kept: .*permission denied/s,
    ],
    [
      'the disk has no room for two copies',
      ({ snapshots }) => (snapshots.free = 500 * MIB),
      /master 10\.10\.0\.24 has 500 MiB free at \/var\/lib\/etcd, and 551 MiB are needed: make room there/,
    ],
    [
      'the database is too large to be tried',
      ({ snapshots }) => (snapshots.size = 600 * MIB),
      /database on master 10\.10\.0\.24 has 600 MiB, and of more than 512 MiB none is taken: compact and defragment/,
    ],
    [
      'no master has an etcd of its own',
      ({ hosts }) => void hosts.on(/^\/bin\/bash -s snapshot$/, () => ({ stdout: '' })),
      /no master has an etcd of kubeadm’s/,
    ],
    [
      'what a flag of the API server names is not there',
      ({ snapshots }) => (snapshots.missing = ['/etc/kubernetes/encryption.yaml']),
      /^the snapshot of the control plane lacks what its API server names and master 10\.10\.0\.24 has not: \/etc\/kubernetes\/encryption\.yaml$/,
    ],
  ])('that can not be had stops no operation, and is a warning of it: %s', async (_why, set, told) => {
    const { runner } = operation(set);
    await runner.run();
    expect(runner.outputs.get('keep-snapshot')).toEqual({ notes: [expect.stringMatching(told)] });
  });

  it('is refused by the limits before a part is read, and does not stay on the master', async () => {
    for (const [limits, told] of [
      [{ mostBytes: 100 }, /it has 1 MiB, and 1 MiB are kept at most \(CLUSTER_SNAPSHOT_MAX_BYTES of vim-registry\)/],
      [{ kept: 0 }, /none are wanted \(CLUSTER_SNAPSHOTS_KEPT of vim-registry is 0\)/],
    ] as const) {
      const { runner, vims, world } = operation();
      Object.assign(vims.snapshotLimits, limits);
      await runner.run();
      expect(runner.outputs.get('keep-snapshot')).toEqual({ notes: [expect.stringMatching(told)] });
      expect([vims.snapshots, [...world.snapshots.left]]).toEqual([[], []]);
    }
  });

  it('is told nobody by what the step says, although what is read of the machine is all of it', async () => {
    const { runner, lines, world } = operation();
    await runner.run();
    const said = JSON.stringify([...runner.outputs]) + lines.join('\n');
    expect(said).not.toContain(world.snapshots.content.toString('base64').slice(0, 40));
    expect(said).not.toContain('keys and all');
  });
});
