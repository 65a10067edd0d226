import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import type { FakeCluster } from '../testing/fake-cluster.js';
import { Crash, performOnce } from '../testing/plan-runner.js';

const MASTER = 'server-master-1';
const WORKER = 'server-worker-1';

/** What stands after the undo, by step. */
const GONE: Record<string, (world: FakeCluster) => unknown> = {
  'prepare-node:worker31': (world) => world.node(WORKER).hosts,
  'install-runtime:worker31': (world) => world.node(WORKER).containerd,
  'install-kubernetes:worker31': (world) => world.node(WORKER).kubernetes,
  'init-control-plane:master24': (world) => world.api,
  'join-worker:worker31': (world) => world.listed.get('worker31') ?? world.node(WORKER).ca,
  'create-admin-account:master24': (world) => world.api?.get('secret/admin-token'),
  'register-vim': () => undefined,
};

/** Runs everything before a step, and then the step until it dies at the nth point of its jobs. */
async function halfDone(id: string, n: number) {
  let points = Number.NEGATIVE_INFINITY;
  let died = false;
  const made = bench({
    workers: 1,
    hosts: {
      atPoint: () => {
        died = points === n;
        points += 1;
        if (died) throw new Crash();
      },
    },
  });
  for (const step of made.runner.steps) {
    if (step.id === id) points = 0;
    try {
      const output = await performOnce(made.runner.action(step.id), made.runner.runOf(step.id));
      if (output !== undefined) made.runner.outputs.set(step.id, output);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    if (step.id === id) break;
  }
  points = Number.NEGATIVE_INFINITY;
  return { ...made, died };
}

describe('undoing a step that was half done', () => {
  it.each(Object.keys(GONE))('leaves nothing of %s, wherever it died', async (id) => {
    let died = true;
    for (let n = 0; died; n += 1) {
      const made = await halfDone(id, n);
      ({ died } = made);
      const undo = () => made.runner.action(id).undo?.(made.runner.runOf(id, { phase: 'undo', epoch: 2, attemptEpoch: 2 }));
      await undo();
      expect(GONE[id]!(made.world) || undefined, `died at point ${n}`).toBeUndefined();
      expect(made.vims.vims.size).toBe(0);
      // It may be asked to do it again.
      await made.runner.action(id).undo?.(made.runner.runOf(id, { phase: 'undo', epoch: 3, attemptEpoch: 3 }));
    }
  });

  it('moves pods away before a worker goes, and takes it out of the cluster through the master', async () => {
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
      await performOnce(runner.action(step.id), runner.runOf(step.id));
    }
    world.hosts.on(/script\.sh.*join\.yaml/, { takes: seconds(3600) });
    const detached = new AbortController();
    const id = 'join-worker:worker31';
    const work = runner.action(id).apply(runner.runOf(id, { signal: detached.signal }));
    await expect.poll(() => world.hosts.machine(WORKER).running.length).toBe(1);
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
