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
 * Has a master that is about to go give the virtual address away; whether it is dead the cluster and etcd say, through masters that stay. One that
 * does not answer holds it no longer than its VM lives. Undone, it may hold it again.
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

/** Does `work` on the machine where it answers. A machine that fails is to be healed, so its failure stops nothing; a machine that others report dead is not tried, which would take a minute. */
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
 * Whether the cluster says that the node is silent, and so does etcd of its member, or whoever asked the machine last. A kubelet that is dead by
 * itself says nothing of keepalived, which may hold the address still. False where nobody can be asked.
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
