import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { ClusterStepInput } from '../node-input.js';
import { isAlive } from '../waits-for-network.js';

export interface CheckMovingInput extends ClusterStepInput {
  /** Earlier addresses of the nodes whose addresses change. */
  addresses: string[];
}

/**
 * Checks, before a network is touched, that the cluster answers and that the nodes whose addresses change are alive: a dead node can't be told its
 * new address.
 */
export const checkMoving = implementAction(declared<CheckMovingInput>('check-moving'), {
  apply: async ({ cluster, input }: ClusterContext<CheckMovingInput>) => {
    const listed = await cluster.listedNodes();
    const dead = input.addresses.flatMap((address) => {
      const node = listed.find(({ addresses }) => addresses.includes(address));
      return node !== undefined && isAlive(node)
        ? []
        : [node === undefined ? `${address} is not listed` : `${node.name} is not Ready`];
    });
    if (dead.length > 0)
      throw new TerminalError(
        'cluster.moving-node-dead',
        `nothing was changed yet: ${dead.join(', ')}, and could not be told of its new address; roll back, heal it, and ask again`,
      );
    return undefined;
  },
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
