import type { HookContext } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, scaled } from '../testing/requests.js';

const MASTER = 'server-master-1';

/** A cluster of a master and one worker that stands. */
function operation(certificates: string, hook: Partial<HookContext>) {
  const world = new FakeCluster();
  world.begin(MASTER, 'master24', '10.10.0.24');
  world.listed.set('worker31', { ready: true, address: '10.10.0.31' });
  world.node(MASTER).certificates = certificates;
  return bench({ workers: 1, world, hook, requestParams: {} });
}

describe('when the certificates end is kept with the instance', () => {
  it.each<[string, Partial<HookContext>]>([
    ['an instantiation', {}],
    ['a scale out', scaled('scale_end')],
    ['a heal', healed('heal_end', ['worker-1'])],
  ])('by the last look of %s at its masters', (_name, hook) => {
    const { runner } = operation('now 0\n', hook);
    const ids = runner.steps.map(({ id }) => id);
    expect(ids).toContain('list-certificates');
    expect(ids.indexOf('list-certificates')).toBeGreaterThan(ids.indexOf('revoke-join-tokens'));
  });

  it('by a scale in, of the masters that stay, once the others are gone', () => {
    const { runner } = operation('now 0\n', scaled('scale_start'));
    expect(runner.steps.at(-1)?.id).toBe('list-certificates');
  });

  it('as the certificates have it, whatever the master’s clock says, the first to end first', async () => {
    const { runner } = operation('now 17\napiserver.crt 1795000000\netcd/server.crt 1794000000\n', scaled('scale_start'));
    await runner.performOnce('list-certificates');
    expect(runner.outputs.get('list-certificates')).toEqual({
      instance: {
        certificates: [
          { master: '10.10.0.24', name: 'etcd/server.crt', endsAt: 1_794_000_000 },
          { master: '10.10.0.24', name: 'apiserver.crt', endsAt: 1_795_000_000 },
        ],
      },
    });
  });

  it('as none where kubeadm made none, so that nobody is told of certificates that are not there', async () => {
    const { runner } = operation('now 17\n', scaled('scale_start'));
    await runner.performOnce('list-certificates');
    expect(runner.outputs.get('list-certificates')).toEqual({ instance: { certificates: [] } });
  });

  it('in bounds, however many files lie in the folder', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `a${n}.crt ${1_795_000_000 + n}`).join('\n');
    const { runner } = operation(`now 17\n${many}\n`, scaled('scale_start'));
    await runner.performOnce('list-certificates');
    const { instance } = runner.outputs.get('list-certificates') as { instance: { certificates: unknown[] } };
    expect(instance.certificates).toHaveLength(20);
  });

  it('and no operation fails where no master lets itself be looked at: a note says so, and what was kept stays', async () => {
    const { world, runner } = operation('now 17\n', scaled('scale_start'));
    Object.defineProperty(world.hosts.machine(MASTER), 'unreachable', { get: () => true });
    await runner.performOnce('list-certificates');
    expect(runner.outputs.get('list-certificates')).toEqual({
      notes: [expect.stringMatching(/^when the certificates of the control plane end could not be looked at: /)],
    });
  });
});
