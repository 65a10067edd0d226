import type { KubeNode } from './kube-cluster.js';

/** The words of kubelets whose container runtime has no network (kubernetes: `pkg/kubelet/runtime.go`; containerd's CRI). */
const NO_NETWORK = /NetworkReady=false|NetworkPluginNotReady|cni plugin not initialized/;

/** Whether a node is not Ready for want of a network: its kubelet lives, and says so. */
export const waitsForNetwork = ({ ready, why }: Pick<KubeNode, 'ready' | 'why'>): boolean => !ready && NO_NETWORK.test(why);

/** Whether a node's kubelet says anything to the cluster: it is Ready, or would be if it had a network. */
export const isAlive = (node: Pick<KubeNode, 'ready' | 'why'>): boolean => node.ready || waitsForNetwork(node);
