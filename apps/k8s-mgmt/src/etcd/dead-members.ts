import { minutes, seconds, TransientError, waitUntil, WindlassError, type Duration } from '@windlass/foundation';
import type { KubeCluster } from '../cluster/kube-cluster.js';
import { isAlive } from '../cluster/waits-for-network.js';
import type { Etcd } from './etcd.js';
import type { EtcdMember } from './members.js';
import { listedNames } from './listed-names.js';

/** Longer than a cluster takes to notice that a node is silent (50 s) and a member takes to start, together. */
const WITHIN = minutes(2);

/** What is asked, and told. */
interface Asked {
  etcd: Etcd;
  cluster: KubeCluster;
  run: { signal: AbortSignal };
}

/**
 * Removes all dead members from etcd: kubeadm asks each member before a master joins, and fails where one does not answer.
 * A member is dead when it does not answer and the cluster does not hear from its node. A node that the cluster never listed has the time of an
 * election to be listed.
 * @param within how long a member with a living node may take to answer again
 * @throws TransientError `etcd.silent-member` for a member that does not; and as {@link Etcd.leave}
 */
export async function takeOutDead({ etcd, cluster, run }: Asked, within: Duration = WITHIN): Promise<void> {
  for (const { address } of await deadMembers({ etcd, cluster, run }, within)) await etcd.leave(address);
}

async function deadMembers({ etcd, cluster, run }: Asked, within: Duration): Promise<EtcdMember[]> {
  const begun = performance.now();
  let waiting: string[] = [];
  const look = async (seen: (text: string) => void): Promise<EtcdMember[] | undefined> => {
    const silent = (await etcd.members()).filter(({ healthy }) => !healthy);
    if (silent.length === 0) return [];
    const nodes = await cluster.listedNodes();
    const isDead = ({ address }: EtcdMember): boolean => {
      const node = nodes.find(({ addresses }) => addresses.includes(address));
      return node === undefined ? performance.now() >= begun + etcd.patience : !isAlive(node);
    };
    waiting = silent.filter((member) => !isDead(member)).map(({ address }) => address);
    if (waiting.length === 0) return silent;
    seen(`${listedNames(waiting)} ${waiting.length === 1 ? 'does' : 'do'} not`);
    return undefined;
  };
  const terms = { within, every: seconds(0.5), growth: 1.5, atMost: seconds(5), signal: run.signal };
  try {
    return await waitUntil(look, { for: "etcd's members to answer", ...terms });
  } catch (error) {
    if (!(error instanceof WindlassError) || error.code !== 'wait.timeout' || waiting.length === 0) throw error;
    const what = `etcd's member at ${listedNames(waiting)} does not answer, though its node is part of the cluster`;
    throw new TransientError(
      'etcd.silent-member',
      `${what}: no master can join beside it. Bring its etcd back, or heal it first`,
    );
  }
}
