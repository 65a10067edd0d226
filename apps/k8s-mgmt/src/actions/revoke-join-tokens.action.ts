import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../node/node-context.js';
import { revokeJoinTokens } from './contracts.js';

/**
 * Takes back whatever a node could still join with, when all have joined. A join revokes its own token, unless its worker died when the
 * node was listed already: then nobody looks at the job again. The one of the installation, and a script's, are revoked here alone.
 */
export const revokeJoinTokensWork = implementAction(revokeJoinTokens, {
  check: async ({ cluster }: ClusterContext) => (await cluster.joinTokens())?.length === 0,
  apply: async ({ cluster }) => {
    await cluster.revokeAll();
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5) },
});
