// How the pods' addresses are shared out: every node gets a range of `pod_cidr`, from which its pods have theirs.

/** What kube-controller-manager gives a node, unless it is told otherwise. */
export const DEFAULT_NODE_PREFIX = 24;

/** 16 addresses, 13 pods: with less a node has no room for what the cluster itself runs. */
export const LONGEST_NODE_PREFIX = 28;

/** kubeadm and kube-controller-manager number the nodes' ranges with at most so many bits. */
const MOST_BITS = 16;

/** As the kubelet has it. */
const DEFAULT_MOST_PODS = 110;

/** How many nodes have a range in the pods' range. */
export const nodesIn = (podPrefix: number, nodePrefix: number): number => 2 ** (nodePrefix - podPrefix);

/** Prefix lengths that so many nodes' ranges can have; `from` is above `to` where they don't fit. */
export function nodePrefixes(podPrefix: number, nodes: number): { from: number; to: number } {
  const bits = Math.ceil(Math.log2(Math.max(nodes, 1)));
  return { from: podPrefix + bits, to: Math.min(podPrefix + MOST_BITS, LONGEST_NODE_PREFIX) };
}

/** Pods that a node has addresses for: its range without the bridge's, the overlay's and the broadcast address. */
export const podsOf = (nodePrefix: number): number => 2 ** (32 - nodePrefix) - 3;

/** What the kubelets are told, so that no pod is put where it gets no address; undefined where their own limit is below that. */
export function mostPods(nodePrefix: number): number | undefined {
  const pods = podsOf(nodePrefix);
  return pods < DEFAULT_MOST_PODS ? pods : undefined;
}
