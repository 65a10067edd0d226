import type { HookContext } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type K8sMgmtSettings } from '../settings/settings.js';
import { bench } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, scaled } from '../testing/requests.js';

/** The service's as the cluster was made, before its operator raised the default. */
const BEFORE = { ...defaultSettings, kubernetesVersion: '1.33.5' };

/** A cluster of a master and so many workers that was made by a service with these settings. */
async function standing(workers: number, settings: K8sMgmtSettings = BEFORE): Promise<FakeCluster> {
  const world = new FakeCluster();
  world.version = `v${settings.kubernetesVersion}`;
  const { runner } = bench({ workers, world, settings });
  await runner.run();
  return world;
}

/** An operation by a service whose default is another: 1.34.1, unless given. */
const later = (world: FakeCluster, workers: number, hook: Partial<HookContext>, settings: K8sMgmtSettings = defaultSettings) =>
  bench({ workers, world, hook, settings, requestParams: {} });

const WORKER = 'worker-1';

describe('a cluster that runs another Kubernetes than new ones get', () => {
  it('gets workers of its own version, with the repository and the sandbox image of that', async () => {
    const world = await standing(1);
    const { runner } = later(world, 2, scaled('scale_end'));
    await runner.run();
    expect(world.node('server-worker-2').kubernetes).toBe('1.33.5');
    expect([...world.listed.keys()]).toContain('worker32');
    expect(runner.outputs.get('read-cluster-version')).toMatchObject({
      kubernetes: { version: '1.33.5', aptUrl: 'https://pkgs.k8s.io/core:/stable:/v1.33/deb/' },
      runtime: { pauseImage: 'registry.k8s.io/pause:3.10', leastContainerd: 1 },
    });
  });

  it('is healed with its own version, also where its user has upgraded it meanwhile', async () => {
    const world = await standing(1);
    world.upgrade('v1.35.2');
    await later(world, 1, healed('heal_start', [WORKER])).runner.run();
    world.destroy('server-worker-1');
    await later(world, 1, healed('heal_end', [WORKER])).runner.run();
    expect(world.node('server-worker-1').kubernetes).toBe('1.35.2');
  });

  it.each([
    ['scale_end', scaled('scale_end'), 2],
    ['heal_start', healed('heal_start', [WORKER]), 1],
  ] as const)(
    'of a minor that is not known is left as it is: %s says so before anything is done to a node',
    async (_of, hook, n) => {
      const world = await standing(1);
      world.upgrade('v1.99.0');
      const before = world.hosts.processes.length;
      await expect(later(world, n, hook).runner.run()).rejects.toMatchObject({
        code: 'cluster.unknown-version',
        message: expect.stringMatching(
          /runs Kubernetes v1\.99\.0.*known are 1\.31, .*release of Windlass that knows 1\.99/,
        ) as string,
      });
      expect(world.hosts.processes.slice(before)).toEqual([]);
      expect(world.cordoned.size).toBe(0);
      expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    },
  );

  it.each([
    ['https://mirror.example/v1.34/deb/', 'is the repository of 1.34'],
    ['https://mirror.example/core:/stable:/v1.34/deb', 'is the repository of 1.34'],
  ])('can’t have its packages of %s, and what to tell the service instead is said', async (kubernetesAptUrl, says) => {
    const world = await standing(1);
    const { runner } = later(world, 1, healed('heal_start', [WORKER]), { ...defaultSettings, kubernetesAptUrl });
    await expect(runner.run()).rejects.toMatchObject({ code: 'cluster.other-repository' });
    await expect(
      later(world, 1, healed('heal_start', [WORKER]), { ...defaultSettings, kubernetesAptUrl }).runner.run(),
    ).rejects.toThrow(new RegExp(`KUBERNETES_APT_URL ${kubernetesAptUrl} ${says}.*1\\.33\\.5.*\\{minor\\}`));
  });

  it.each([
    ['https://mirror.example/v{minor}/deb/', 'https://mirror.example/v1.33/deb/'],
    ['https://mirror.example/kubernetes/', 'https://mirror.example/kubernetes/'],
    [undefined, null],
  ])('has its packages of %s as %s', async (kubernetesAptUrl, aptUrl) => {
    const world = await standing(1);
    const { runner } = later(world, 2, scaled('scale_end'), { ...defaultSettings, kubernetesAptUrl });
    await runner.run();
    expect(runner.outputs.get('read-cluster-version')).toMatchObject({ kubernetes: { version: '1.33.5', aptUrl } });
  });

  it('that is in the middle of an upgrade gets what it is upgraded to, and the operation says that masters lag', async () => {
    const world = await standing(1);
    world.upgrade('v1.34.1');
    world.version = 'v1.33.5';
    world.labels.set('master24', { 'node-role.kubernetes.io/control-plane': '' });
    const { runner } = later(world, 2, scaled('scale_end'));
    await runner.performOnce('read-cluster-version');
    expect(runner.outputs.get('read-cluster-version')).toMatchObject({
      kubernetes: { version: '1.34.1' },
      notes: [expect.stringMatching(/master24 runs v1\.33\.5.*configuration says v1\.34\.1.*finish the upgrade/)],
    });
  });

  it('that loses a node is not asked for its version: nothing is installed', async () => {
    const world = await standing(2);
    world.api?.delete('configmap/kubeadm-config');
    await later(world, 2, scaled('scale_start')).runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
  });
});
