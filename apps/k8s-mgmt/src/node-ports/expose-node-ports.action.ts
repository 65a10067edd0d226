import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { exposeNodePorts, type ExposeNodePortsInput } from './contracts.js';
import { areOpen, close, open } from './exposure.js';
import type { NodePortsContext } from './node-ports-context.js';

/** Opens the ports of a VNF's Services on a balancer. */
export const exposeNodePortsWork = implementAction(exposeNodePorts, {
  check: (context: NodePortsContext<ExposeNodePortsInput>) => areOpen(context),
  apply: async (context) => {
    await open(context);
    return undefined;
  },
  undo: (context) => close(context),
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});
