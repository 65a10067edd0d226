import { minutes, seconds, TransientError, waitUntil, WindlassError, type Duration } from '@windlass/foundation';
import type { KubeCluster } from '../cluster/kube-cluster.js';
import { isAlive } from '../cluster/waits-for-network.js';
import type { Etcd } from './etcd.js';
import type { EtcdMember } from './members.js';
import { names } from './sentences.js';

/** Longer than a cluster takes to see that a node says nothing any more (50 s), and a member to start. */
const WITHIN = minutes(2);

/** What is asked, and told. */
interface Asked {
  etcd: Etcd;
  cluster: KubeCluster;
  run: { signal: AbortSignal };
}

/**
 * Takes every member out of etcd that is dead: kubeadm asks each before it has a master join, and ends where one does not answer. Dead is who answers
 * no other member, and whose node says nothing to the cluster either; one that was never listed has the time of an election.
 * @param within how long a member whose node is Ready may take to answer again
 * @throws TransientError `etcd.silent-member` for one that does not; and as {@link Etcd.leave}
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
    seen(`${names(waiting)} ${waiting.length === 1 ? 'does' : 'do'} not`);
    return undefined;
  };
  const terms = { within, every: seconds(0.5), growth: 1.5, atMost: seconds(5), signal: run.signal };
  try {
    return await waitUntil(look, { for: "etcd's members to answer", ...terms });
  } catch (error) {
    if (!(error instanceof WindlassError) || error.code !== 'wait.timeout' || waiting.length === 0) throw error;
    const what = `etcd's member at ${names(waiting)} does not answer, though its node is part of the cluster`;
    throw new TransientError(
      'etcd.silent-member',
      `${what}: no master can join beside it. Bring its etcd back, or heal it first`,
    );
  }
}
