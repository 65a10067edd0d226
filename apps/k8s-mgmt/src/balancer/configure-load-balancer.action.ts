import { minutes, seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { NodeContext } from '../node/node-context.js';
import type { LoadBalancer } from './load-balancer.js';
import { CONFIGURE_LOAD_BALANCER, REMOVE_LOAD_BALANCER } from './scripts.js';
import { isSetUp, setUp } from './set-load-balancer.js';

export interface ConfigureLoadBalancerInput extends NodeStepInput {
  balancer: LoadBalancer;
}

/**
 * Installs HAProxy and keepalived on a master, before there is any API server, so that the virtual address answers. The undo removes both programs.
 */
export const configureLoadBalancer = implementAction(declared<ConfigureLoadBalancerInput>('configure-load-balancer'), {
  check: (context: NodeContext<ConfigureLoadBalancerInput>) => isSetUp(context, context.input.balancer),
  apply: async (context) => {
    await setUp(context, 'configure-load-balancer', CONFIGURE_LOAD_BALANCER, context.input.balancer);
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-load-balancer', { text: REMOVE_LOAD_BALANCER, within: minutes(20), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
