import {
  describeDuration,
  millis,
  minutes,
  seconds,
  TerminalError,
  TransientError,
  waitUntil,
  WindlassError,
} from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { KubeCluster } from '../kube-cluster.js';
import { isAlive } from '../waits-for-network.js';
import type { ClusterContext, NodeContext } from '../../node/node-context.js';
import { cordonNode, drainNode, removeNode, type DrainNodeInput, type LeavingNodeInput, type Noted } from '../contracts.js';

/** The most pods that an error names. */
const NAMED_PODS = 20;

/** A node that is not listed has nothing to be kept from. */
export const cordonNodeWork = implementAction(cordonNode, {
  apply: async ({ cluster, input }: ClusterContext<LeavingNodeInput>) => {
    const name = await cluster.nameOf(input.node.address);
    if (name !== undefined) await cluster.cordon(name, true);
    return undefined;
  },
  undo: async ({ cluster, input }) => {
    const name = await cluster.nameOf(input.node.address);
    if (name !== undefined) await cluster.cordon(name, false);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

/** What was moved away stays there: undoing has nothing to bring back but the node itself, which the cordon's does. */
export const drainNodeWork = implementAction(drainNode, {
  apply: async (context: ClusterContext<DrainNodeInput>): Promise<Noted | undefined> => {
    const { cluster, input } = context;
    const { drain_timeout_seconds: timeout, drain_force: force = input.force } = input.retried ?? {};
    const within = timeout === undefined ? millis(input.withinMs) : seconds(timeout);
    const look = async () => (await cluster.listedNodes()).find(({ addresses }) => addresses.includes(input.node.address));
    const node = await look();
    if (node === undefined) return undefined;
    // Nobody there would tell that a pod has ended: the wait would last for as long as it may.
    const dead = { notes: [`${node.name} did not answer the cluster: its pods were not moved, they end with it`] };
    if (!isAlive(node)) return dead;
    const said = await cluster.drain(node.name, { within });
    if (said === undefined) return undefined;
    // A cluster calls a node alive for most of a minute after its last word: one that died just before, or meanwhile, was waited for in vain.
    const now = await look();
    if (now !== undefined && !isAlive(now)) return dead;
    const held = await podsOn(cluster, node.name);
    const why = said.split('\n').at(-1) ?? '';
    // It ended for another reason: the API was gone for a moment.
    if (held.length === 0)
      throw new TransientError('node.drain-ended', `the drain of ${node.name} ended, and no pod holds it: ${why}`);
    const what = `pods that ${node.name} still had after ${describeDuration(within)}: ${listed(held)}`;
    if (force) return { notes: [`${what}; they go with it, as drain_force says`] };
    const remedy =
      'retry once their disruption budgets allow it; or with more time or without regard for them, in the body of the retry: {"additionalParams": {"drain_timeout_seconds": 900}} or {"additionalParams": {"drain_force": true}}';
    throw new TerminalError('node.not-drained', `${what}. ${why} To go on, ${remedy}`);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/** Its kubelet enters a node that is brought back, when it starts. One that does not answer was no part of the cluster before either. */
export const removeNodeWork = implementAction(removeNode, {
  apply: async ({ cluster, input }: NodeContext<LeavingNodeInput>) => {
    const name = await cluster.nameOf(input.node.address);
    if (name !== undefined) await cluster.deleteNode(name);
    return undefined;
  },
  undo: async ({ cluster, host, node, run }) => {
    if ((await cluster.nameOf(node.address)) !== undefined) return;
    try {
      await host.job('restart-kubelet', { run: cmd`systemctl restart kubelet`, within: minutes(2) });
    } catch (error) {
      if (!(error instanceof WindlassError) || error.code !== 'remote.unreachable') throw error;
      run.progress(`${node.address} can't be reached: it stays out of the cluster`);
      return;
    }
    await waitUntil(async () => ((await cluster.nameOf(node.address)) === undefined ? undefined : true), {
      for: `the kubelet on ${node.address} to enter its node again`,
      within: minutes(3),
      every: seconds(1),
      signal: run.signal,
    });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

const listed = (pods: readonly string[]): string =>
  pods.length <= NAMED_PODS ? pods.join(', ') : `${pods.slice(0, NAMED_PODS).join(', ')} and ${pods.length - NAMED_PODS} more`;

/** The pods that a drain has to move: without those of a DaemonSet, static pods, and pods that have ended. */
async function podsOn(cluster: KubeCluster, node: string): Promise<string[]> {
  const list = await cluster.ask(cmd`get pods -A ${`--field-selector=spec.nodeName=${node}`} -o json`);
  if (list === undefined) throw new TransientError('cluster.no-answer', `the API does not say which pods ${node} has`);
  return (list.items as RawPod[]).flatMap(({ metadata: { name, namespace, annotations, ownerReferences = [] }, status }) => {
    const isMirror = annotations?.['kubernetes.io/config.mirror'] !== undefined;
    const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    if (isMirror || ended || ownerReferences.some(({ kind }) => kind === 'DaemonSet')) return [];
    return [`${namespace}/${name}`];
  });
}

type RawPod = {
  metadata: { name: string; namespace: string; annotations?: Record<string, string>; ownerReferences?: { kind: string }[] };
  status?: { phase?: string };
};
