import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { isAlive } from '../waits-for-network.js';
import type { ClusterContext } from '../../node/node-context.js';
import { checkMoving, type CheckMovingInput } from './contracts.js';

export const checkMovingWork = implementAction(checkMoving, {
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
