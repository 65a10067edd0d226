import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import { removeProbes } from './contracts.js';
import { removeProbes as remove } from './probe-cluster.js';

/** Takes away what the verification ran; right where it ran nothing. */
export const removeProbesWork = implementAction(removeProbes, {
  apply: async (context: NodeContext<NodeStepInput>) => {
    await remove(context, 'remove-probes');
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});
