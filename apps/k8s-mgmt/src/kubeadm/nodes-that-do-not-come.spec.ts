import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bench } from '../testing/bench.js';

const STEP = 'verify-cluster';
const WORDS = 'container runtime network not ready: cni plugin not initialized';

/** A cluster that stands but for its verification, one worker of which is not Ready. */
async function standing() {
  const made = bench();
  for (const { id } of made.runner.steps) {
    if (id === STEP) break;
    await made.runner.performOnce(id);
  }
  const { listed } = made.world;
  listed.set('worker31', { ...listed.get('worker31')!, ready: false, words: WORDS });
  return { ...made, verify: () => Promise.resolve(made.runner.action(STEP).apply(made.runner.runOf(STEP))) };
}

/** A pod whose first container waits, of the network add-on unless given. */
const waitsFor = (reason: string, message: string, namespace = 'kube-flannel'): JsonObject => ({
  metadata: {
    namespace,
    name: `${namespace}-ds-x`,
    ownerReferences: [{ kind: 'DaemonSet', name: `${namespace}-ds` }],
  },
  status: {
    phase: 'Pending',
    initContainerStatuses: [{ state: { waiting: { reason, message } } }],
    containerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }],
  },
});

describe('a node that does not become Ready', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is told with its kubelet’s words and with what its pods wait for, while it is waited for', async () => {
    const { verify, world, lines } = await standing();
    world.pending.set('worker31', [waitsFor('ImagePullBackOff', 'Back-off pulling image "flannel"')]);
    const verified = verify();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lines.join('\n')).toContain(
      `not ready: worker31 (${WORDS}; pod kube-flannel/kube-flannel-ds-x: ImagePullBackOff: Back-off pulling image "flannel")`,
    );
    world.listed.set('worker31', { ...world.listed.get('worker31')!, ready: true });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await verified).toMatchObject({ nodes: expect.arrayContaining(['worker31']) as string[] });
  });

  it('is not waited for where a registry has not the image that it waits for: the pod, the image and what to do are named', async () => {
    const { verify, world } = await standing();
    world.pending.set('worker31', [waitsFor('ErrImagePull', 'failed to pull mirror.example/flannel:1: not found')]);
    await expect(verify()).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'cluster.image-refused',
      message: expect.stringMatching(
        /^worker31 does not become Ready: pod kube-flannel\/kube-flannel-ds-x: ErrImagePull: .*mirror.example\/flannel:1: not found.*KUBERNETES_IMAGE_REPOSITORY/,
      ) as string,
    });
  });

  it('is waited for whatever its users’ pods lack', async () => {
    const { verify, world } = await standing();
    world.pending.set('worker31', [waitsFor('ErrImagePull', 'failed to pull a.user.example/app:1: not found', 'default')]);
    const verified = verify();
    await vi.advanceTimersByTimeAsync(2_000);
    world.listed.set('worker31', { ...world.listed.get('worker31')!, ready: true });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await verified).toMatchObject({ nodes: expect.arrayContaining(['worker31']) as string[] });
  });
});
