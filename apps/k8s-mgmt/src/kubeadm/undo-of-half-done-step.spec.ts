import { seconds } from '@windlass/foundation';
import { undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';

const MASTER = 'server-master-1';
const WORKER = 'server-worker-1';

undoSuite('a step', {
  bench: (points) => bench({ workers: 1, ...points }),
  left: {
    'prepare-node:worker31': ({ world }) => world.node(WORKER).hosts || undefined,
    'install-runtime:worker31': ({ world }) => world.node(WORKER).containerd || undefined,
    'install-kubernetes:worker31': ({ world }) => world.node(WORKER).kubernetes,
    'init-control-plane:master24': ({ world }) => world.api,
    'join-worker:worker31': ({ world }) => world.listed.get('worker31') ?? world.node(WORKER).ca,
    'create-admin-account': ({ world }) => world.api?.get('secret/admin-token'),
    'register-vim': ({ vims }) => [...vims.vims.keys()][0],
  },
});

describe('a step that was done', () => {
  it('of a worker is undone through the master: pods move away before it goes', async () => {
    const { runner, world } = bench({ workers: 1 });
    await runner.run();
    await runner
      .action('join-worker:worker31')
      .undo?.(runner.runOf('join-worker:worker31', { phase: 'undo', epoch: 2, attemptEpoch: 2 }));
    expect(world.drained).toEqual(['worker31']);
    expect([...world.listed.keys()]).toEqual(['master24']);
    expect(world.node(MASTER).ca).toBeDefined();
  });
});

describe('a forceful cancel', () => {
  it('ends the step’s job on the node and on the master, and says so', async () => {
    const { runner, world } = bench({ workers: 1 });
    for (const step of runner.steps.filter(({ id }) => !id.startsWith('join') && !id.startsWith('verify'))) {
      if (step.action === 'register-vim' || step.action === 'create-admin-account') continue;
      await runner.performOnce(step.id);
    }
    world.hosts.on(/script\.sh.*join\.yaml/, { takes: seconds(3600) });
    const detached = new AbortController();
    const id = 'join-worker:worker31';
    const work = runner.action(id).apply(runner.runOf(id, { signal: detached.signal }));
    await expect.poll(() => world.hosts.machine(WORKER).running.length, { timeout: 15_000 }).toBe(1);
    detached.abort(new Error('cancelled'));
    await expect(work).rejects.toThrow('cancelled');
    expect(world.hosts.machine(WORKER).running).toHaveLength(1);
    expect(await runner.action(id).stop?.(runner.runOf(id))).toBe(true);
    expect(world.hosts.machine(WORKER).running).toHaveLength(0);
  });

  it('can not say so when the node is out of reach', async () => {
    const { runner, world } = bench({ workers: 1 });
    world.hosts.machine(WORKER).unreachable = true;
    const stop = runner.action('join-worker:worker31').stop?.(runner.runOf('join-worker:worker31'));
    await expect(stop).rejects.toMatchObject({ code: 'remote.not-confirmed-stopped' });
  });
});
