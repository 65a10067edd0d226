import { isSilence } from '@windlass/driver-kit';
import type { KubeCluster } from '../cluster/kube-cluster.js';

/** A node that is no part of the operation, and the cluster as others know it. */
interface Peer {
  cluster: KubeCluster;
  node: { address: string };
}

/**
 * Work on a node that is there already. One that is gone, which neither we nor the cluster reach, keeps nobody from coming or going: undefined then.
 * @throws what the work threw, for any other
 */
export async function unlessGone<T>(peer: Peer, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isSilence(error) || !(await isGone(peer))) throw error;
    return undefined;
  }
}

async function isGone({ cluster, node }: Peer): Promise<boolean> {
  const nodes = await cluster.nodes();
  return nodes !== undefined && !nodes.some(({ ready, addresses }) => ready && addresses.includes(node.address));
}
