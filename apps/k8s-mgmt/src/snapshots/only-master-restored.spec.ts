import { createHash } from 'node:crypto';
import { crashSuite, type CrashPoints } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { sequence } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { MADE_BY_WINDLASS } from '../cluster/bootstrap-token.js';
import { defaultSettings } from '../settings/settings.js';
import { bench } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, scaled } from '../testing/requests.js';

const MASTER = 'server-master-1';
const MIB = 1024 * 1024;

/** Of the service as it is when the cluster is healed: its default is not what the cluster runs. */
const LATER = defaultSettings;
const BEFORE = { ...defaultSettings, kubernetesVersion: '1.33.5' };

interface Scene extends CrashPoints {
  workers?: number;
  /** What users and operations did to the cluster after its snapshot. */
  after?: (world: FakeCluster) => Promise<void> | void;
  ids?: string[];
}

/** A cluster that was made, with its snapshot, whose master then dies and is healed. */
async function dead({ workers = 2, after, ids = ['master-1'], ...points }: Scene = {}) {
  const world = new FakeCluster();
  world.version = `v${BEFORE.kubernetesVersion}`;
  const made = bench({ workers, world, settings: BEFORE });
  await made.runner.run();
  world.api!.set('configmap/of-a-user', { metadata: { name: 'of-a-user' } });
  world.keepToken('abcdef.0123456789abcdef', 'of a user');
  world.keepToken('fedcba.0123456789abcdef', `${MADE_BY_WINDLASS}of a join that was under way`);
  const hook = { ...scaled('scale_start'), affectedVnfcs: [], operationId: 'scaled-before' };
  const kept = bench({ workers, world, settings: BEFORE, requestParams: {}, hook });
  await kept.runner.run();
  await after?.(world);
  const ca = world.node(MASTER).ca;
  world.destroy(MASTER);
  for (const id of ids.filter((each) => each.startsWith('worker'))) world.destroy(`server-${id}`);
  return { world, ca, heal: () => healing(world, kept.vims.snapshots, ids, workers, points) };
}

let healings = 0;

/** What ends the heal, on a registry that has these archives. */
function healing(
  world: FakeCluster,
  archives: readonly Buffer[],
  ids: string[],
  workers: number,
  points: CrashPoints & { requestParams?: JsonObject } = {},
) {
  const end = bench({
    workers,
    world,
    settings: LATER,
    requestParams: {},
    hook: { ...healed('heal_end', ids), operationId: `heal-${healings++}` },
    ...points,
  });
  end.vims.snapshots.push(...archives);
  return end;
}

const notesOf = (outputs: ReadonlyMap<string, unknown>): string[] =>
  [...outputs.values()].flatMap((output) => (output as { notes?: string[] } | null | undefined)?.notes ?? []);

describe('the only master that is healed', () => {
  it('is the cluster that it was: its objects, its nodes, its CA, its version; and nothing of the snapshot stays on its machine', async () => {
    const { world, ca, heal } = await dead();
    const { runner } = heal();
    await runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    expect(world.api?.has('configmap/of-a-user')).toBe(true);
    expect([...world.tokens.keys()]).toEqual(['abcdef']);
    expect(world.node(MASTER)).toMatchObject({ ca, kubernetes: '1.33.5', hostname: 'master24' });
    expect(world.hosts.machine(MASTER).files.has('/var/lib/windlass-snapshot.tar.gz')).toBe(false);
    expect(notesOf(runner.outputs).join()).toMatch(
      /master24 is made again of the snapshot of 2026-\S+Z: what the cluster was told after/,
    );
  });

  it('asks nothing of a machine that is dead, and goes on without a newer snapshot', async () => {
    const { world } = await dead();
    world.hosts.machine(MASTER).unreachable = true;
    const { runner } = bench({
      workers: 2,
      world,
      requestParams: {},
      hook: { ...healed('heal_start', ['master-1']), operationId: 'heal-start' },
    });
    await runner.run();
    expect(runner.steps.map(({ id }) => id)).toEqual(['keep-snapshot']);
    expect(notesOf(runner.outputs).join()).toMatch(/no snapshot of the control plane was kept: /);
  });

  it('is made again of the snapshot that the request names, and a living one makes none that might push it out', async () => {
    const { world, heal } = await dead({
      after: (changed) =>
        void changed.api!.set('configmap/of-a-user', { metadata: { name: 'of-a-user' }, data: { is: 'damaged' } }),
    });
    const named = heal().vims.snapshots[0]!;
    const requestParams = { snapshot: createHash('sha256').update(named).digest('hex') };
    const { driver, context } = bench({ workers: 2, requestParams });
    expect(driver.plan({ ...context, ...healed('heal_start', ['master-1']) }).root).toEqual(sequence());
    const newer = Buffer.from('not the one that is meant');
    await healing(world, [named, newer], ['master-1'], 2, { requestParams }).runner.run();
    expect(world.api?.get('configmap/of-a-user')).toEqual({ metadata: { name: 'of-a-user' } });
  });

  it('that still answers is asked for what the cluster is now', async () => {
    const world = new FakeCluster();
    await bench({ workers: 1, world }).runner.run();
    world.api!.set('configmap/of-a-user', { metadata: { name: 'of-a-user' } });
    const start = bench({
      workers: 1,
      world,
      requestParams: {},
      hook: { ...healed('heal_start', ['master-1']), operationId: 'heal-start' },
    });
    await start.runner.run();
    world.destroy(MASTER);
    await healing(world, start.vims.snapshots, ['master-1'], 1).runner.run();
    expect(world.api?.has('configmap/of-a-user')).toBe(true);
  });

  it('knows a worker again that came after the snapshot: its kubelet enters it', async () => {
    const { world } = await dead({
      after: async (standing) => {
        await bench({
          workers: 3,
          world: standing,
          settings: BEFORE,
          requestParams: {},
          hook: { ...added(3), operationId: 'scaled' },
        }).runner.run();
      },
    });
    const end = healing(world, [world.snapshots.content], ['master-1'], 3);
    await end.runner.run();
    expect([...world.listed.keys()]).toContain('worker33');
    expect(world.listed.get('worker33')?.address).toBe('10.10.0.33');
  });

  it('leaves such a worker that is dead to another heal, and says so', async () => {
    const { world } = await dead({
      after: async (standing) => {
        await bench({
          workers: 3,
          world: standing,
          settings: BEFORE,
          requestParams: {},
          hook: { ...added(3), operationId: 'scaled' },
        }).runner.run();
      },
    });
    const end = healing(world, [world.snapshots.content], ['master-1'], 3);
    world.hosts.machine('server-worker-3').unreachable = true;
    await end.runner.run();
    expect([...world.listed.keys()]).not.toContain('worker33');
    expect(notesOf(end.runner.outputs).join()).toMatch(/10\.10\.0\.33 came after the snapshot and does not answer.*heal it/);
  });

  it('says which nodes of the snapshot are no VMs of the VNF now: a worker that was scaled in since is listed again', async () => {
    const { world } = await dead({ workers: 3 });
    const end = healing(world, [world.snapshots.content], ['master-1'], 2);
    await end.runner.run();
    const note = notesOf(end.runner.outputs).find((each) => each.includes('no VMs of the VNF'));
    expect(note).toMatch(/workers that have left since: worker33\. .*kubectl delete node worker33$/);
    const { heal } = await dead();
    const { runner } = heal();
    await runner.run();
    expect(notesOf(runner.outputs).join()).not.toContain('no VMs of the VNF');
  });

  it.each<[string, string | undefined, boolean]>([
    ['has its address still', 'https://10.10.0.24:6443', false],
    ['has lost the address that the cluster is registered at', 'https://10.10.0.99:6443', true],
    ['is of a cluster whose registration nobody knows', undefined, false],
    ['is registered by a name', 'https://cluster.example:6443', false],
    ['its users pass on from an address elsewhere', 'https://198.51.100.7:6443', false],
  ])('that %s: it is seen before anything is touched', (_how, clusterUrl, refused) => {
    const { driver, context } = bench({ workers: 2, requestParams: {} });
    const at = clusterUrl === undefined ? {} : { clusterUrl };
    const plan = () => driver.plan({ ...context, ...healed('heal_start', ['master-1']), ...at });
    if (refused)
      expect(plan).toThrow(
        /registered at 10\.10\.0\.99, and .* has 10\.10\.0\.24.*openstack port set --fixed-ip.*Nothing was begun/,
      );
    else expect(plan).not.toThrow();
  });

  it('comes with workers that died with it: their old nodes go, and they join anew', async () => {
    const { world, heal } = await dead({ ids: ['master-1', 'worker-2'] });
    await heal().runner.run();
    expect([...world.listed]).toEqual([
      ['master24', expect.objectContaining({ ready: true })],
      ['worker31', expect.objectContaining({ ready: true })],
      ['worker32', expect.objectContaining({ ready: true })],
    ]);
    expect(world.node('server-worker-2')).toMatchObject({ kubernetes: '1.33.5', ca: world.node(MASTER).ca });
  });

  it('is not made of a snapshot at another address, before anything is installed there', async () => {
    const { world } = await dead();
    const archive = JSON.parse(world.snapshots.content.toString()) as { address: string };
    const moved = Buffer.from(JSON.stringify({ ...archive, address: '10.10.0.99' }));
    const end = healing(world, [moved], ['master-1'], 2);
    await expect(end.runner.run()).rejects.toMatchObject({
      code: 'snapshot.other-address',
      message: expect.stringMatching(/API server was at 10\.10\.0\.99.*has 10\.10\.0\.24.*restore by hand/) as string,
    });
    expect(world.node(MASTER).kubernetes).toBeUndefined();
  });

  it('says what is the matter where the snapshot has gone since the request', async () => {
    const { world } = await dead();
    await expect(healing(world, [], ['master-1'], 2).runner.run()).rejects.toMatchObject({ code: 'snapshot.none' });
  });

  it('takes no name for its machine that is none', async () => {
    const { world } = await dead();
    const archive = JSON.parse(world.snapshots.content.toString()) as { name: string };
    const evil = Buffer.from(JSON.stringify({ ...archive, name: '$(reboot)' }));
    await expect(healing(world, [evil], ['master-1'], 2).runner.run()).rejects.toMatchObject({ code: 'snapshot.unreadable' });
  });

  it('fails with what kubeadm said, and a retry begins with the archive that lies there', async () => {
    const { world, heal } = await dead();
    world.snapshots.unrestorable = 'error execution phase wait-control-plane: the API server is not healthy';
    const end = heal();
    await expect(end.runner.run()).rejects.toThrow(/the API server is not healthy/);
    expect(world.hosts.machine(MASTER).files.has('/var/lib/windlass-snapshot.tar.gz')).toBe(true);
    world.snapshots.unrestorable = undefined;
    await healing(world, [world.snapshots.content], ['master-1'], 2).runner.run();
    expect([...world.listed.keys()]).toContain('worker32');
  });

  it('is brought its snapshot in a file of root’s alone, and nothing of it is in a command, an output or a line of progress', async () => {
    const { world, heal } = await dead();
    world.snapshots.unrestorable = 'not yet';
    const { runner, lines } = heal();
    await runner.run().catch(() => undefined);
    const file = world.hosts.machine(MASTER).files.get('/var/lib/windlass-snapshot.tar.gz');
    expect(file).toMatchObject({ mode: 0o600, owner: 'root:root' });
    const said = [
      ...world.hosts.looks.map(({ command }) => command),
      ...world.hosts.processes.map(({ command }) => command),
      JSON.stringify([...runner.outputs]),
      ...lines,
    ].join('\n');
    expect(said).not.toContain('of-a-user');
    expect(said).not.toContain(world.snapshots.content.subarray(0, 60).toString('base64'));
    expect(lines.join('\n')).toMatch(/fetch-snapshot: bringing the snapshot of \S+Z: 1 MiB of 1 MiB/);
    expect(file!.content.length).toBeLessThan(MIB);
  });
});

/** At the end of a scaling that has brought the nth worker. */
const added = (n: number): Partial<HookContext> => {
  const hook = scaled('scale_end');
  const { vnfc } = hook.affectedVnfcs![0]!;
  const cps = vnfc.cps.map((cp) => ({ ...cp, addresses: [`10.10.0.${30 + n}`] }));
  const third = { ...vnfc, id: `worker-${n}`, resourceId: `server-worker-${n}`, name: `vm-worker-${n}`, cps };
  return { ...hook, affectedVnfcs: [{ changeType: 'ADDED', vnfc: third }] };
};

const { content } = await (async () => {
  const { world } = await dead({ workers: 1 });
  return world.snapshots;
})();

crashSuite('the heal of the only master and a worker', {
  bench: (points) => {
    const world = new FakeCluster(points);
    const { etcd } = JSON.parse(content.toString()) as { etcd: { ca: string } };
    // It came after the snapshot, and is called otherwise than Windlass would have it.
    Object.assign(world.node('server-worker-2'), { ca: etcd.ca, registersAs: ['other', { ready: true, address: '10.10.0.32' }] });
    return healing(world, [content], ['master-1', 'worker-1'], 2, points);
  },
  stands: ({ world }) => {
    expect([...world.listed.keys()].sort()).toEqual(['master24', 'other', 'worker31']);
    expect([...world.tokens.keys()]).toEqual(['abcdef']);
    expect(world.node(MASTER).hosts).toContain('10.10.0.32 other\n');
    expect(world.api?.has('configmap/of-a-user')).toBe(true);
    expect(world.hosts.machine(MASTER).files.has('/var/lib/windlass-snapshot.tar.gz')).toBe(false);
    expect([...world.pods.pods.keys()]).toEqual([]);
  },
});
