import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { ClusterStepInput } from '../node-input.js';
import { hasSharedCertificates, withdrawCertificates } from './shared-certificates.js';

export interface RevokeJoinTokensInput extends ClusterStepInput {
  /**
   * Revokes every token, whoever made it: a packaged script has just made the cluster, and its tokens do not say so. Only Windlass's own tokens
   * unless given.
   */
  every?: boolean;
}

type Context = ClusterContext<RevokeJoinTokensInput>;

/**
 * Revokes the tokens and shared certificates with which a node could still join, when all nodes have joined. A join step revokes its own token, and so does
 * its undo; but where its worker dies after the node is listed, no step attaches to the job again. The tokens of the installation and of a packaged script are
 * revoked only here, where nothing is undone. Users' tokens stay.
 */
export const revokeJoinTokens = implementAction(declared<RevokeJoinTokensInput>('revoke-join-tokens'), {
  check: async ({ cluster, input }: Context) => {
    const tokens = await cluster.joinTokens();
    const none = tokens?.every(({ isOurs }) => !isOurs && input.every !== true) === true;
    return none && !(await hasSharedCertificates(cluster));
  },
  apply: async ({ cluster, input }) => {
    await withdrawCertificates(cluster);
    await cluster.revokeJoinTokens(input);
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5) },
});
