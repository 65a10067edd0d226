import { seconds, TransientError } from '@windlass/foundation';
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
 * Revokes the tokens and shared certificates with which a node could still join, when all nodes have joined. A join step revokes its own token,
 * unless its worker dies after the node is listed: then no step attaches to the job again. The tokens of the installation and of a packaged script
 * are revoked only here. Users' tokens stay.
 */
export const revokeJoinTokens = implementAction(declared<RevokeJoinTokensInput>('revoke-join-tokens'), {
  check: async (context: Context) => (await left(context))?.length === 0 && !(await hasSharedCertificates(context.cluster)),
  apply: async (context) => {
    const { cluster } = context;
    await withdrawCertificates(cluster);
    const names = await left(context);
    if (names === undefined)
      throw new TransientError('cluster.no-answer', 'the API does not say which tokens there are to join with');
    await cluster.revokeTokens(names);
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5) },
});

async function left({ cluster, input }: Context): Promise<string[] | undefined> {
  const tokens = await cluster.joinTokens();
  return tokens?.filter(({ isOurs }) => isOurs || input.every === true).map(({ name }) => name);
}
