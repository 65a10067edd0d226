import { isSilence, ofThisMachine } from '@windlass/driver-kit';
import { minutes, seconds, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { NodeBesideEtcdContext } from '../etcd/etcd-context.js';
import { LEAVE_LOAD_BALANCER, RETURN_TO_LOAD_BALANCER } from './scripts.js';

type Context = NodeBesideEtcdContext<NodeStepInput>;

/**
 * Stops keepalived on a master that is about to leave, so that a peer takes the virtual address. Masters that stay, and etcd, say whether the master
 * is dead. A master that does not answer is left as it is: its keepalived ends with its VM. The undo starts keepalived again.
 */
export const leaveLoadBalancer = implementAction(declared<NodeStepInput>('leave-load-balancer'), {
  check: async (context: Context) => {
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

/**
 * Does `work` on the machine where the machine answers. A failing machine is to be healed anyway, so its failure does not stop the step. A machine
 * that others report dead is not tried: a try would take a minute.
 */
async function whereItAnswers<T>(context: Context, work: () => Promise<T>): Promise<T | undefined> {
  const { name } = context.node;
  const { resourceId } = context.host.target;
  if (await isDead(context)) {
    context.progress(`${name} does not answer, as the others say: it is left as it is`);
    return undefined;
  }
  try {
    const done = await work();
    context.silent.delete(resourceId);
    return done;
  } catch (error) {
    if (!ofThisMachine(error)) throw error;
    if (isSilence(error)) context.silent.add(resourceId);
    context.progress(`${name} does not answer (${error.code}): it is left as it is`);
    return undefined;
  }
}

/**
 * Whether the node is dead. Two witnesses must agree: the cluster does not list the node as Ready, and etcd does not reach its member or an earlier
 * step did not reach the machine. The cluster's word alone is not enough: a dead kubelet does not stop keepalived, which may still hold the address.
 * False where no other master can be asked.
 */
async function isDead(context: Context): Promise<boolean> {
  const { address } = context.node;
  if (context.others.length === 0) return false;
  try {
    const nodes = await context.cluster.nodes();
    if (nodes?.some(({ ready, addresses }) => ready && addresses.includes(address)) !== false) return false;
    if (context.silent.has(context.host.target.resourceId)) return true;
    return (await context.etcd.memberAt(address))?.healthy === false;
  } catch (error) {
    const isOfOthers = ofThisMachine(error) || (error instanceof WindlassError && error.code === 'etcd.no-answer');
    if (!isOfOthers) throw error;
    return false;
  }
}
