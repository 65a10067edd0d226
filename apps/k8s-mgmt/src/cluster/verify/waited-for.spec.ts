import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bench } from '../../testing/bench.js';
import { CALICO, MANIFESTS, packages, withCalico, withManifests, withNetwork } from '../../testing/network-addons.js';
import { healed } from '../../testing/requests.js';
import { readManifest } from '../../network/manifests.js';

const STEP = 'verify-cluster';
const NO_NETWORK =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

type Options = NonNullable<Parameters<typeof bench>[0]>;

/** A plan that has come to its verification. */
async function before(options: Options) {
  const made = bench({ packages, ...options, hook: { files: withManifests(), ...options.hook } });
  for (const { id } of made.runner.steps) {
    if (id === STEP) break;
    await made.runner.performOnce(id);
  }
  const { world, runner } = made;
  const verify = () => Promise.resolve(runner.action(STEP).apply(runner.runOf(STEP)));
  const unready = (words: string, ...names: string[]) =>
    names.forEach((name) => world.listed.set(name, { ...world.listed.get(name)!, ready: false, words }));
  return { ...made, verify, unready };
}

/** Whether it is still waited for when a while is over. */
async function waits(verified: Promise<unknown>): Promise<boolean> {
  const state = { ended: false };
  verified.finally(() => (state.ended = true)).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(30_000);
  return !state.ended;
}

/** Of three nodes. */
const ofDaemonSet = (numberReady: number) => ({ numberReady, updatedNumberScheduled: 3, desiredNumberScheduled: 3 });

const status = (of: JsonObject | undefined): JsonObject => of!.status as JsonObject;

describe('a network add-on by manifests', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const params = withNetwork(Object.keys(MANIFESTS));

  it('is waited for on every node, though all say that they are Ready', async () => {
    const { world, verify, lines } = await before({ params });
    Object.assign(status(world.api?.get('daemonset/agent')), ofDaemonSet(2));
    const pods = { items: [{ metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'agent' }] }, status: {} }] };
    world.api?.set('pods/--field-selector=spec.nodeName=worker32', pods);
    world.api?.set('pods/--field-selector=spec.nodeName=worker31', { items: [] });
    world.api?.set('pods/--field-selector=spec.nodeName=master24', { items: [] });
    const verified = verify();
    expect(await waits(verified)).toBe(true);
    expect(lines.join('\n')).toContain('DaemonSet net/agent: 2 of 3 ready, none on worker32');
    Object.assign(status(world.api?.get('daemonset/agent')), ofDaemonSet(3));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await verified).toMatchObject({ nodes: ['master24', 'worker31', 'worker32'] });
  });

  it('is waited for with its Deployments when the cluster is made, and what its users took away is not', async () => {
    const { world, verify, lines } = await before({ params });
    status(world.api?.get('deployment/ruler')).availableReplicas = 0;
    const verified = verify();
    expect(await waits(verified)).toBe(true);
    expect(lines.join('\n')).toContain('Deployment net/ruler: 0 of 2 ready');
    world.api?.delete('deployment/ruler');
    await vi.advanceTimersByTimeAsync(20_000);
    await verified;
  });

  it('is waited for on those that a heal brought, and a dead node or a Deployment that lacks a pod keeps nobody from coming', async () => {
    const made = bench({ params, packages, hook: { files: withManifests() } });
    await made.runner.run();
    const { world } = made;
    world.destroy('server-worker-2');
    const options: Options = {
      params,
      world,
      hook: { ...healed('heal_end', ['worker-2']), operationId: 'a-heal' },
      requestParams: {},
    };
    const { verify, unready } = await before(options);
    unready('Kubelet stopped posting node status.', 'worker31');
    Object.assign(status(world.api?.get('daemonset/agent')), ofDaemonSet(2));
    status(world.api?.get('deployment/ruler')).availableReplicas = 0;
    const owner = { metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'agent' }] } };
    const pods = (ready: string) => ({ items: [{ ...owner, status: { conditions: [{ type: 'Ready', status: ready }] } }] });
    world.api?.set('pods/--field-selector=spec.nodeName=worker32', pods('False'));
    const verified = verify();
    expect(await waits(verified)).toBe(true);
    world.api?.set('pods/--field-selector=spec.nodeName=worker32', pods('True'));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await verified).toMatchObject({ notes: ['not Ready, and no part of this operation: worker31; heal them'] });
  });

  it.each([
    ['calico', withNetwork('calico'), 'kube-system', 'calico-node', 'CALICO_MANIFEST'],
    ['manifests', params, 'net', 'agent', 'manifests in the package'],
  ])('keeps a node by its own pods alone: %s', async (_, of, namespace, name, remedy) => {
    const settings = withCalico(readManifest(CALICO, 'calico'));
    const { world, verify, unready, runner } = await before({ params: of, settings });
    const pod = (owner: string, image: string) => ({
      metadata: { namespace, name: `${owner}-x`, ownerReferences: [{ kind: 'DaemonSet', name: owner }] },
      status: { initContainerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: `${image}: not found` } } }] },
    });
    unready(NO_NETWORK, 'worker31');
    world.pending.set('worker31', [pod('of-a-user', 'user.example/x:1')]);
    const verified = verify();
    expect(await waits(verified)).toBe(true);
    world.pending.set('worker31', [pod('of-a-user', 'user.example/x:1'), pod(name, 'own.example/x:1')]);
    const failed = expect(verified).rejects.toMatchObject({
      code: 'cluster.image-refused',
      message: expect.stringContaining(`pod ${namespace}/${name}-x: ErrImagePull: own.example/x:1: not found`) as string,
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await failed;
    await expect(runner.action(STEP).apply(runner.runOf(STEP))).rejects.toThrow(remedy);
  });
});

describe('a cluster whose users bring the network', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const params = withNetwork('none');

  it('is made though no node is Ready, and the operation says what is to be done', async () => {
    const { verify, unready, world } = await before({ params });
    unready(NO_NETWORK, 'master24', 'worker31', 'worker32');
    expect(await verify()).toEqual({
      nodes: ['master24', 'worker31', 'worker32'],
      notes: [expect.stringMatching(/^master24, worker31, worker32: not Ready for want of a network: network_addon is none/)],
    });
    expect(world.pods.ran, 'pods that would never run').toEqual([]);
  });

  it('waits for a node that lacks something else', async () => {
    const { verify, unready } = await before({ params });
    unready(NO_NETWORK, 'master24', 'worker31');
    unready('container runtime is down', 'worker32');
    const verified = verify();
    expect(await waits(verified)).toBe(true);
    unready(NO_NETWORK, 'worker32');
    await vi.advanceTimersByTimeAsync(20_000);
    await verified;
  });

  /** One that stands, a worker of which is healed; words are those of its other nodes. */
  const healing = async (words: string | undefined) => {
    const made = bench({ params });
    await made.runner.run();
    const { world } = made;
    const unreadyOthers = () => {
      if (words === undefined) return;
      for (const name of ['master24', 'worker31']) world.listed.set(name, { ...world.listed.get(name)!, ready: false, words });
    };
    unreadyOthers();
    const hook = { ...healed('heal_start', ['worker-2']), operationId: 'a-heal' };
    await bench({ params, world, hook, requestParams: {} }).runner.run();
    world.destroy('server-worker-2');
    const then = await before({
      params,
      world,
      hook: { ...healed('heal_end', ['worker-2']), operationId: 'a-heal' },
      requestParams: {},
    });
    then.unready(NO_NETWORK, 'worker32');
    return then;
  };

  it('takes newcomers in before there is a network', async () => {
    const { verify } = await healing(NO_NETWORK);
    expect(await verify()).toMatchObject({ notes: [expect.stringContaining('for want of a network')] });
  });

  it('waits for newcomers once there is one, as a Ready node says', async () => {
    const { verify, unready, world } = await healing(undefined);
    unready(NO_NETWORK, 'worker32');
    const verified = verify();
    expect(await waits(verified)).toBe(true);
    world.listed.set('worker32', { ...world.listed.get('worker32')!, ready: true });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await verified).not.toHaveProperty('notes');
  });
});
