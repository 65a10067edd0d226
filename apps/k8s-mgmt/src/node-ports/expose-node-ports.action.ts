import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { areOpen, close, open, type ExposeNodePortsInput } from './exposure.js';
import type { NodePortsContext } from './node-ports-context.js';

/** Opens the ports of a VNF's Services on a load balancer. The undo closes them. */
export const exposeNodePorts = implementAction(declared<ExposeNodePortsInput>('expose-node-ports'), {
  check: (context: NodePortsContext<ExposeNodePortsInput>) => areOpen(context),
  apply: async (context) => {
    await open(context);
    return undefined;
  },
  undo: (context) => close(context),
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});
