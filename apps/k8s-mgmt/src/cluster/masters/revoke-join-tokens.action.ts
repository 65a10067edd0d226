import { seconds, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { ClusterStepInput } from '../node-input.js';
import { hasSharedCertificates, withdrawCertificates } from './shared-certificates.js';

export interface RevokeJoinTokensInput extends ClusterStepInput {
  /** Whoever made them: a script has just made the cluster, and its tokens say nothing of whose they are. None but Windlass's unless given. */
  every?: boolean;
}

type Context = ClusterContext<RevokeJoinTokensInput>;

/**
 * Takes back what a node could still join with by what Windlass, or its script, made, when all have joined. A join takes back its own, unless its
 * worker died when the node was listed already: then nobody looks at the job again. The token of the installation, and a script's, are revoked here
 * alone. What users made stays.
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
