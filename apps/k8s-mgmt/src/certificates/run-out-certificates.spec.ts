import type { HookContext } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, scaled } from '../testing/requests.js';
import { hasRunOut, readLifetimes, endText } from './lifetimes.js';

const DAY = 86_400;
const MASTER = 'server-master-1';

/** As a look prints it of certificates that are good for so many days. */
const printed = (left: Readonly<Record<string, number>>, now = 1_764_000_000): string =>
  [`now ${now}`, ...Object.entries(left).map(([name, days]) => `${name} ${now + days * DAY}`), ''].join('\n');

/** A cluster of a master and one worker with these certificates, before the VM of an operation is made. */
function operation(certificates: string, hook: Partial<HookContext>) {
  const world = new FakeCluster();
  world.begin(MASTER, 'master24', '10.10.0.24');
  world.listed.set('worker31', { ready: true, address: '10.10.0.31' });
  world.node(MASTER).certificates = certificates;
  return bench({ workers: 1, world, hook, requestParams: {} });
}

const out: Partial<HookContext> = { ...scaled('scale_start'), affectedVnfcs: [] };

describe('an operation on a cluster whose API certificate has run out', () => {
  it('of which nothing has begun yet: a scale out ends before its VM is made, with what has run out, where, and what to do', async () => {
    const { runner } = operation(printed({ 'apiserver.crt': -3, 'admin.conf': -3, 'etcd/peer.crt': 100 }), out);
    const failed = runner.performOnce('check-certificates');
    await expect(failed).rejects.toMatchObject({ code: 'certificates.run-out' });
    await expect(failed).rejects.toThrow(
      /certificates have run out, .*: apiserver\.crt on master 10\.10\.0\.24 ran out 3 days ago\. Nothing was changed: renew them .*kubeadm certs renew all/,
    );
  });

  it.each([
    ['a heal', 'heal_start'],
    ['a scale in', 'scale_start'],
  ] as const)('is looked at first by %s, too, before the cluster is asked anything', (_name, hook) => {
    const { runner } = operation('now 0\n', hook === 'heal_start' ? healed('heal_start', ['worker-1']) : scaled(hook));
    expect(runner.steps[0]?.id).toBe('check-certificates');
  });
});

describe('certificates that soon run out', () => {
  it('are a warning of the operation from 30 days on, which goes on', async () => {
    const { runner } = operation(printed({ 'apiserver.crt': 30, 'front-proxy-client.crt': 12 }), out);
    await runner.run();
    expect(runner.outputs.get('check-certificates')).toEqual({
      notes: [
        expect.stringMatching(
          /^front-proxy-client\.crt on master 10\.10\.0\.24 runs out in 12 days: renew them: \.\/windlass vnf certificates \S+ --renew /,
        ),
      ],
    });
  });

  it('are not spoken of before, nor where kubeadm made none', async () => {
    for (const certificates of [printed({ 'apiserver.crt': 31 }), printed({})]) {
      const { runner } = operation(certificates, out);
      await runner.run();
      expect(runner.outputs.get('check-certificates')).toBeUndefined();
    }
  });

  it('keep nobody from going on where they are not what the API needs', () => {
    const lifetimes = readLifetimes('10.10.0.24', printed({ 'scheduler.conf': -1, 'apiserver.crt': 5 }));
    expect(hasRunOut(lifetimes)).toBe(false);
    expect(endText(lifetimes)).toBe('scheduler.conf on master 10.10.0.24 ran out 1 day ago');
  });

  it('are looked at again where the look was broken off', () => {
    for (const text of ['', 'now x\n', 'apiserver.crt 5\n', 'now 5\napiserver.crt\n'])
      expect(() => readLifetimes('10.10.0.24', text), text).toThrow(expect.objectContaining({ code: 'certificates.not-seen' }));
  });
});
