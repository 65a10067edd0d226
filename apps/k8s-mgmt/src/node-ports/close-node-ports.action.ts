import { ofThisMachine } from '@windlass/driver-kit';
import { seconds, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { CONFIGURATION_FILE } from '../external-lb/scripts.js';
import { areClosed, close, open, type ExposeNodePortsInput } from './exposure.js';
import type { NodePortsContext } from './node-ports-context.js';

export interface CloseNodePortsInput extends ExposeNodePortsInput {
  /** Whether the step may succeed, with a note of what stays open, while the load balancer can't be reached. */
  leaves?: boolean;
}

/**
 * Errors of a load balancer that can't be reached. One that answers with a changed login or host key still has the frontends, and can be reached
 * again.
 */
const AWAY = ['remote.unreachable', 'remote.connection-lost'];

const ATTEMPTS = 5;

/** Closes the ports of a VNF's Services on a load balancer. The undo opens them. */
export const closeNodePorts = implementAction(declared<CloseNodePortsInput, Noted | undefined>('close-node-ports'), {
  apply: async (context: NodePortsContext<CloseNodePortsInput>): Promise<Noted | undefined> => {
    try {
      if (!(await areClosed(context))) await close(context);
      return undefined;
    } catch (error) {
      const { leaves, frontends } = context.input;
      if (leaves !== true || !ofThisMachine(error) || !AWAY.includes(error.code)) throw error;
      // The load balancer may be back before the last attempt.
      if (error instanceof TransientError && context.run.attempt < ATTEMPTS) throw error;
      const names = frontends.map(({ name }) => name).join(', ');
      return {
        notes: [
          `${context.name} does not let the ports of this VNF be closed: where they are still there, remove the frontends ${names} from ${CONFIGURATION_FILE} on it, then "systemctl reload haproxy". ${error.message}`,
        ],
      };
    }
  },
  undo: (context) => open(context),
  stop: (context) => context.stop(),
  retry: { attempts: ATTEMPTS, backoff: seconds(3), growth: 2 },
});
