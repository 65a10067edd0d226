import { seconds, TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { configurationOf, withBackEnd } from '../external-lb/configuration.js';
import { refuseTaken } from './frontends.js';
import type { NodePortsContext, NodePortsInput } from './node-ports-context.js';

export interface CheckNodePortsInput extends NodePortsInput {
  /**
   * Whether a script of the package opens the ports. It does not note which VNF a frontend belongs to, so a frontend of the same name may be this
   * VNF's.
   */
  scripted?: boolean;
}

/**
 * Checks, before anything is made, that a load balancer can pass on the ports of a VNF: the login, HAProxy, its back end, and the ports that
 * manifests fix. Changes nothing.
 */
export const checkNodePorts = implementAction(declared<CheckNodePortsInput>('check-node-ports'), {
  apply: async (context: NodePortsContext<CheckNodePortsInput>) => {
    const { name, input, of } = context;
    const text = withBackEnd(await configurationOf(context), name);
    if (!(await context.sees(cmd`systemctl is-active --quiet haproxy`)))
      throw new TerminalError(
        'external-lb.not-running',
        `HAProxy does not run on ${name}: look there with "systemctl status haproxy", start it, then retry`,
      );
    refuseTaken(text, input.frontends, of, input.scripted === true);
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
