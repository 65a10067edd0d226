import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { ofThisMachine } from '@windlass/driver-kit';
import type { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import { leaveLoadBalancer } from './contracts.js';
import { LEAVE_LOAD_BALANCER, RETURN_TO_LOAD_BALANCER } from './scripts.js';

/** Has a master that is about to go give the virtual address away. One that does not answer holds it no longer than its VM lives. */
export const leaveLoadBalancerWork = implementAction(leaveLoadBalancer, {
  check: async (context: NodeContext<NodeStepInput>) => {
    const stopped = cmd`! systemctl is-active --quiet keepalived && ! systemctl is-enabled --quiet keepalived 2> /dev/null`;
    return (await whereItAnswers(context, () => context.sees(stopped))) ?? true;
  },
  apply: async (context) => {
    await whereItAnswers(context, () =>
      context.script('leave-load-balancer', { text: LEAVE_LOAD_BALANCER, within: minutes(2), arguments: () => [] }),
    );
    return undefined;
  },
  undo: async (context) => {
    await whereItAnswers(context, () =>
      context.script('return-to-load-balancer', { text: RETURN_TO_LOAD_BALANCER, within: minutes(2), arguments: () => [] }),
    );
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/** What is wrong with a machine is a reason to heal it, and none to let it be. */
async function whereItAnswers<T>(context: NodeContext<NodeStepInput>, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!ofThisMachine(error)) throw error;
    context.progress(`${context.node.name} does not answer (${error.code}): it is left as it is`);
    return undefined;
  }
}
