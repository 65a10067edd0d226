import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { NodeStepInput } from '../node-input.js';

/** Keeps new pods from a node that is going to leave. A node that is not listed needs nothing. */
export const cordonNode = implementAction(declared<NodeStepInput>('cordon-node'), {
  apply: async ({ cluster, input }: ClusterContext<NodeStepInput>) => {
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
