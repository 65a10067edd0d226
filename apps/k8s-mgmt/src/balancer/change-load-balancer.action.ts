import { seconds } from '@windlass/foundation';
import { implementAction, present } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import { unlessGone } from '../node/gone-peer.js';
import type { NodeContext } from '../node/node-context.js';
import type { LoadBalancer } from './load-balancer.js';
import { CHANGE_LOAD_BALANCER } from './scripts.js';
import { isSetUp, setUp } from './set-load-balancer.js';

export interface ChangeLoadBalancerInput extends NodeStepInput {
  balancer: LoadBalancer;
  /** The load balancer before the change, for the undo. */
  before: LoadBalancer;
}

type Context = NodeContext<ChangeLoadBalancerInput>;

/**
 * Changes back ends and holders of a running load balancer when masters come or go. Open connections stay. A dead master's load balancer stays as it
 * is: that master needs a heal. The undo restores back ends and holders.
 */
export const changeLoadBalancer = implementAction(declared<ChangeLoadBalancerInput, Noted | undefined>('change-load-balancer'), {
  check: async (context: Context) =>
    (await unlessGone(context, () => isSetUp(context, context.input.balancer))) ?? present({ notes: [asItWas(context)] }),
  apply: async (context): Promise<Noted | undefined> => {
    const changed = await change(context, 'change-load-balancer', context.input.balancer);
    return changed ? undefined : { notes: [asItWas(context)] };
  },
  undo: async (context) => {
    if (!(await change(context, 'restore-load-balancer', context.input.before))) context.progress(asItWas(context));
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

/** Returns false where the master is dead, and nothing was changed. */
async function change(context: Context, job: string, to: LoadBalancer): Promise<boolean> {
  const changed = await unlessGone(context, async () => {
    await setUp(context, job, CHANGE_LOAD_BALANCER, to);
    return true;
  });
  return changed === true;
}

const asItWas = ({ node }: Context): string =>
  `${node.name} does not answer: its load balancer is as it was, and knows other masters than there are. Heal it before it comes back`;
