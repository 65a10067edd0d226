import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import { changeLoadBalancer, type ChangeLoadBalancerInput } from './contracts.js';
import { CHANGE_LOAD_BALANCER } from './scripts.js';
import { isSetUp, setUp } from './set-load-balancer.js';

/** Changes back ends and holders of a load balancer that stands. */
export const changeLoadBalancerWork = implementAction(changeLoadBalancer, {
  check: (context: NodeContext<ChangeLoadBalancerInput>) => isSetUp(context, context.input.balancer),
  apply: async (context) => {
    await setUp(context, 'change-load-balancer', CHANGE_LOAD_BALANCER, context.input.balancer);
    return undefined;
  },
  undo: (context) => setUp(context, 'restore-load-balancer', CHANGE_LOAD_BALANCER, context.input.before),
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
