import { isSilence, type SilentMachines } from '@windlass/driver-kit';
import type { Host } from '@windlass/mgmt-driver';
import type { KubeCluster } from '../cluster/kube-cluster.js';
import { isAlive } from '../cluster/waits-for-network.js';

/** A node outside the operation, and the cluster as the other masters know it. */
interface Peer {
  cluster: KubeCluster;
  node: { address: string };
  host: Host;
  silent: SilentMachines;
}

/**
 * Does work on an existing node. Returns undefined for a dead node, which neither we nor the cluster reach, so that other nodes may come and go. A
 * machine that did not answer lately is not tried again while the cluster does not reach it either: each try takes a minute.
 * @throws the work's error, where the node is not dead
 */
export async function unlessGone<T>(peer: Peer, work: () => Promise<T>): Promise<T | undefined> {
  const { silent, host } = peer;
  const { resourceId } = host.target;
  if (silent.has(resourceId) && (await isGone(peer))) return undefined;
  try {
    const done = await work();
    silent.delete(resourceId);
    return done;
  } catch (error) {
    if (!isSilence(error)) throw error;
    silent.add(resourceId);
    if (!(await isGone(peer))) throw error;
    return undefined;
  }
}

async function isGone({ cluster, node }: Peer): Promise<boolean> {
  const nodes = await cluster.nodes();
  return nodes !== undefined && !nodes.some((each) => isAlive(each) && each.addresses.includes(node.address));
}
