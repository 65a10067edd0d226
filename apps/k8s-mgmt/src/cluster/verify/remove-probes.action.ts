import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { ClusterStepInput } from '../node-input.js';
import { removeProbes as remove } from './probe-cluster.js';

/** Takes away what `verify-cluster` ran; right where it ran nothing. */
export const removeProbes = implementAction(declared<ClusterStepInput>('remove-probes'), {
  apply: async (context: ClusterContext) => {
    await remove(context, 'remove-probes');
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});
