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
  /** As it was before, for the undo. */
  before: LoadBalancer;
}

type Context = NodeContext<ChangeLoadBalancerInput>;

/**
 * Changes back ends and holders of a load balancer that stands: masters come and go. Connections stay. A master that is dead is left as it is: it
 * is healed by a heal. Undone, it is as before.
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

/** Whether it was there to be changed. */
async function change(context: Context, job: string, to: LoadBalancer): Promise<boolean> {
  const changed = await unlessGone(context, async () => {
    await setUp(context, job, CHANGE_LOAD_BALANCER, to);
    return true;
  });
  return changed === true;
}

const asItWas = ({ node }: Context): string =>
  `${node.name} does not answer: its load balancer is as it was, and knows other masters than there are. Heal it before it comes back`;
