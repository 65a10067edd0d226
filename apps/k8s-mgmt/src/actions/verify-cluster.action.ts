import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { KubeNode } from '../cluster/kube-cluster.js';
import type { NodeContext } from '../node/node-context.js';
import type { ClusterInput, NodeStepInput } from '../node/node-input.js';
import { verifyCluster } from './contracts.js';

/** Waits until every node is Ready. */
export const verifyClusterWork = implementAction(verifyCluster, {
  apply: async ({ cluster, input, run }: NodeContext<NodeStepInput>) => {
    const names = await waitUntil(
      async (seen) => {
        const say = (text: string) => {
          seen(text);
          run.progress(text);
        };
        const nodes = await cluster.nodes((why) => say(`the API does not answer: ${why}`));
        if (nodes === undefined) return undefined;
        const missing = notReady(input.cluster, nodes);
        if (missing.length > 0) say(`not ready: ${missing.join(', ')}`);
        return missing.length === 0 ? nodes.map(({ name }) => name) : undefined;
      },
      {
        for: 'all nodes to be Ready',
        within: minutes(10),
        every: seconds(0.5),
        growth: 1.5,
        atMost: seconds(5),
        signal: run.signal,
      },
    );
    return { nodes: names };
  },
  retry: { attempts: 2, backoff: seconds(5) },
});

/** A packaged script may give a node another name than ours; its address it can't change. */
function notReady({ nodes: wanted }: Pick<ClusterInput, 'nodes'>, listed: readonly KubeNode[]): string[] {
  return wanted
    .filter(({ name, address }) => !listed.some((node) => node.ready && (node.name === name || node.addresses.includes(address))))
    .map(({ name }) => name);
}
