import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import { leaveLoadBalancer } from './contracts.js';
import { LEAVE_LOAD_BALANCER, RETURN_TO_LOAD_BALANCER } from './scripts.js';

/** Has a master that is about to go give the virtual address away. */
export const leaveLoadBalancerWork = implementAction(leaveLoadBalancer, {
  check: (context: NodeContext<NodeStepInput>) =>
    context.sees(cmd`! systemctl is-active --quiet keepalived && ! systemctl is-enabled --quiet keepalived 2> /dev/null`),
  apply: async (context) => {
    await context.script('leave-load-balancer', { text: LEAVE_LOAD_BALANCER, within: minutes(2), arguments: () => [] });
    return undefined;
  },
  undo: async (context) => {
    await context.script('return-to-load-balancer', { text: RETURN_TO_LOAD_BALANCER, within: minutes(2), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
