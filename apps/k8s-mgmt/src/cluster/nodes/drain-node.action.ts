import { describeDuration, millis, seconds, TerminalError, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared, type Noted } from '../action.js';
import type { KubeCluster } from '../kube-cluster.js';
import type { NodeStepInput } from '../node-input.js';
import { isAlive } from '../waits-for-network.js';

/** The node is known by its address. It may have any name, and need not answer. */
export interface DrainNodeInput extends NodeStepInput {
  withinMs: number;
  /** Whether pods that are not moved in that time end with the node. If not, the step fails and names them. */
  force: boolean;
  /** The values that a retry has given in place of `withinMs` and `force`. Absent in journals of older releases. */
  retried?: { drain_timeout_seconds?: number; drain_force?: boolean };
}

/** The most pods that an error names. */
const NAMED_PODS = 20;

/** Moves the pods of a node away. The undo moves no pod back: the undo of `cordon-node` lets pods come to the node again. */
export const drainNode = implementAction(declared<DrainNodeInput, Noted | undefined>('drain-node'), {
  apply: async (context: ClusterContext<DrainNodeInput>): Promise<Noted | undefined> => {
    const { cluster, input } = context;
    const { drain_timeout_seconds: timeout, drain_force: force = input.force } = input.retried ?? {};
    const within = timeout === undefined ? millis(input.withinMs) : seconds(timeout);
    const look = async () => (await cluster.listedNodes()).find(({ addresses }) => addresses.includes(input.node.address));
    const node = await look();
    if (node === undefined) return undefined;
    // A dead node reports no pod as ended: a drain would wait for its whole time.
    const dead = { notes: [`${node.name} did not answer the cluster: its pods were not moved, they end with it`] };
    if (!isAlive(node)) return dead;
    const said = await cluster.drain(node.name, { within });
    if (said === undefined) return undefined;
    // A cluster calls a node alive for most of a minute after the node's last word. So a node that died just before, or during the drain, is found
    // dead here.
    const now = await look();
    if (now !== undefined && !isAlive(now)) return dead;
    const held = await podsOn(cluster, node.name);
    const why = said.split('\n').at(-1) ?? '';
    // The drain ended for a different reason: the API was gone for a moment.
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
