import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { Crash } from '../testing/plan-runner.js';

/** An installation whose worker dies at the nth point of any job's life. */
function dyingAt(n: number) {
  let points = 0;
  const passed: string[] = [];
  const atPoint = (point: string, job: string): void => {
    passed.push(`${point} of ${job}`);
    if (points++ === n) throw new Crash(`${point} of ${job}`);
  };
  return { ...bench({ workers: 1, hosts: { atPoint } }), passed };
}

const POINTS = await (async () => {
  const made = dyingAt(Number.POSITIVE_INFINITY);
  await made.runner.run();
  return made.passed;
})();

describe('an installation whose worker dies', () => {
  it('has points to die at in every step that works on a node', () => {
    const jobs = new Set(POINTS.map((point) => point.replace(/^.* of /, '').replace(/-[a-z0-9]{6}$/, '')));
    expect([...jobs].sort()).toEqual([
      'create-admin-account',
      'init-control-plane',
      'install-kubernetes',
      'install-network',
      'install-runtime',
      'kubeadm-join',
      'mint-token',
      'prepare-node',
      'revoke-joins',
      'revoke-token',
    ]);
  });

  it.each(POINTS.map((point, n) => [n, point] as const))('ends well all the same when it dies at point %i, %s', async (n) => {
    const { runner, world, vims } = dyingAt(n);
    await runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    expect(vims.vims.size).toBe(1);
    expect(world.hosts.doubled()).toEqual([]);
    const started = world.hosts.processes.map(({ resourceId, job }) => `${resourceId} ${job}`);
    expect(new Set(started).size).toBe(started.length);
    expect(world.tokens.size, 'tokens that a node could join with').toBe(0);
  });
});
