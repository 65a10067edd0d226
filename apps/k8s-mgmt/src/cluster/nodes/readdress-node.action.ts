import { minutes, seconds, TransientError, waitUntil, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { NodeStepInput } from '../node-input.js';
import { NODE_IS_READDRESSED, READDRESS_NODE, RESTORE_NODE_ADDRESS } from './scripts.js';

export interface ReaddressNodeInput extends NodeStepInput {
  /** The address by which the cluster knew the node; `node` has the address of today. */
  earlier: string;
}

type Context = NodeContext<ReaddressNodeInput>;

/**
 * Has a worker's kubelet, and the worker's pods on the host's network, use the address that the worker has now. The undo sets the kubelet to the
 * earlier address.
 */
export const readdressNode = implementAction(declared<ReaddressNodeInput>('readdress-node'), {
  check: async (context: Context) =>
    (await context.sees(cmd`/bin/bash -s ${context.node.address}`, NODE_IS_READDRESSED)) &&
    (await isListed(context)) &&
    (await stale(context)).length === 0,
  apply: async (context) => {
    const { node, cluster, run } = context;
    await context.script('readdress-node', { text: READDRESS_NODE, within: minutes(2), arguments: () => [node.address] });
    await waitUntil(async () => ((await isListed(context)) ? true : undefined), {
      for: `the cluster to know ${node.name} by ${node.address}`,
      within: minutes(3),
      every: seconds(0.5),
      growth: 1.5,
      atMost: seconds(5),
      signal: run.signal,
    });
    // The pods' DaemonSets recreate them.
    for (const { namespace, name } of await stale(context))
      await cluster.change(`renew-${namespace}-${name}`, cmd`-n ${namespace} delete pod ${name} --ignore-not-found`);
    return undefined;
  },
  undo: async (context) => {
    const { earlier } = context.input;
    try {
      await context.script('restore-node-address', {
        text: RESTORE_NODE_ADDRESS,
        within: minutes(2),
        arguments: () => [earlier],
      });
    } catch (error) {
      if (!(error instanceof WindlassError) || error.code !== 'remote.unreachable') throw error;
      context.progress(`${context.node.name} does not answer: its kubelet was not told of ${earlier}; heal it`);
    }
  },
  stop: (context) => context.stop(),
  // A guest may need time until it sees a port that was plugged in, or a restart.
  retry: { attempts: 8, backoff: seconds(5), growth: 2 },
});

async function isListed({ cluster, node }: Context): Promise<boolean> {
  return (await cluster.nodes())?.some(({ name, addresses }) => name === node.name && addresses.includes(node.address)) ?? false;
}

/**
 * Pods on the host's network that still have the earlier address. They keep the address with which they started, and the network add-on among them
 * would tell it to other nodes.
 */
async function stale({ cluster, node, input }: Context): Promise<{ namespace: string; name: string }[]> {
  const list = await cluster.ask(cmd`get pods -A ${`--field-selector=spec.nodeName=${node.name}`} -o json`);
  if (list === undefined) throw new TransientError('cluster.no-answer', `the API does not say which pods ${node.name} has`);
  return (list.items as RawPod[])
    .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ kind }) => kind === 'DaemonSet'))
    .filter(({ spec, status }) => spec?.hostNetwork === true && status?.podIP === input.earlier)
    .map(({ metadata: { namespace, name } }) => ({ namespace, name }));
}

type RawPod = {
  metadata: { name: string; namespace: string; ownerReferences?: { kind: string }[] };
  spec?: { hostNetwork?: boolean };
  status?: { podIP?: string };
};
