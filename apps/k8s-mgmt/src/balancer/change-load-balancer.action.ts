import { seconds } from '@windlass/foundation';
import { implementAction, present } from '@windlass/saga';
import type { Noted } from '../cluster/contracts.js';
import { unlessGone } from '../node/gone-peer.js';
import type { NodeContext } from '../node/node-context.js';
import { changeLoadBalancer, type ChangeLoadBalancerInput } from './contracts.js';
import type { LoadBalancer } from './load-balancer.js';
import { CHANGE_LOAD_BALANCER } from './scripts.js';
import { isSetUp, setUp } from './set-load-balancer.js';

type Context = NodeContext<ChangeLoadBalancerInput>;

/** Changes back ends and holders of a load balancer that stands. A master that is dead is left as it is: it is healed by a heal. */
export const changeLoadBalancerWork = implementAction(changeLoadBalancer, {
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
