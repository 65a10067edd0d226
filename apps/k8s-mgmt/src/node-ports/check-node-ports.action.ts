import { seconds, TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { configurationOf, withBackEnd } from '../external-lb/configuration.js';
import { checkNodePorts, type CheckNodePortsInput } from './contracts.js';
import { refuseTaken } from './frontends.js';
import type { NodePortsContext } from './node-ports-context.js';

/** Before anything is made: the login, HAProxy, its back end, and the ports that manifests fix. */
export const checkNodePortsWork = implementAction(checkNodePorts, {
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
