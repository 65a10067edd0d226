import { ofThisMachine } from '@windlass/driver-kit';
import { seconds, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { CONFIGURATION_FILE } from '../external-lb/scripts.js';
import { areClosed, close, open, type ExposeNodePortsInput } from './exposure.js';
import type { NodePortsContext } from './node-ports-context.js';

export interface CloseNodePortsInput extends ExposeNodePortsInput {
  /** A balancer that is away keeps nobody: what is left there is told. */
  leaves?: boolean;
}

/** A balancer that is away. One that is there with another login or host key has the frontends, and can be reached again. */
const AWAY = ['remote.unreachable', 'remote.connection-lost'];

const ATTEMPTS = 5;

/** Closes the ports of a VNF's Services on a balancer. Undone, they are open. */
export const closeNodePorts = implementAction(declared<CloseNodePortsInput, Noted | undefined>('close-node-ports'), {
  apply: async (context: NodePortsContext<CloseNodePortsInput>): Promise<Noted | undefined> => {
    try {
      if (!(await areClosed(context))) await close(context);
      return undefined;
    } catch (error) {
      const { leaves, frontends } = context.input;
      if (leaves !== true || !ofThisMachine(error) || !AWAY.includes(error.code)) throw error;
      // It may be back before the last attempt.
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
