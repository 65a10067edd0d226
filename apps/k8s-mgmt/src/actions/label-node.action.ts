import { seconds, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { placementLabels } from '../cluster/placement-labels.js';
import type { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import { labelNode } from './contracts.js';

/** Says of a worker where its VM stands. Its undo is the join's: the labels go with the node. */
export const labelNodeWork = implementAction(labelNode, {
  check: async (context: NodeContext<NodeStepInput>) => {
    const labels = (await nodeOf(context))?.labels ?? {};
    return Object.entries(placementLabels(context.node.vnfc)).every(([key, value]) => labels[key] === value);
  },
  apply: async (context) => {
    const node = await nodeOf(context);
    if (node === undefined)
      throw new TransientError('cluster.no-node', `the cluster lists no node with the address ${context.node.address} yet`);
    await context.cluster.label(node.name, placementLabels(context.node.vnfc));
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

/** By its address: a packaged script may have called it otherwise. */
const nodeOf = async ({ cluster, node }: NodeContext<NodeStepInput>) =>
  (await cluster.nodes())?.find(({ addresses }) => addresses.includes(node.address));
