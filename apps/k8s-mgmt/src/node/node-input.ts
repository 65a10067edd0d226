import type { AptSource } from '../settings.js';
import type { HostStepInput, MachineInput } from '@windlass/driver-kit';

/** A node as a step's input has it, references resolved; its name is that of the host and of the Kubernetes node. */
export interface NodeInput extends MachineInput {
  role: 'master' | 'worker';
  /** In the cluster's network. */
  address: string;
}

/** What all steps on nodes have in common. */
export interface NodeStepInput extends HostStepInput {
  cluster: ClusterInput;
  node: NodeInput;
  /** Through which the cluster is asked; the node itself where absent. */
  master?: NodeInput;
  proxy?: ProxyInput;
}

export interface ClusterInput {
  address: string;
  publicAddress: string | null;
  podCidr: string;
  /** Prefix length of what a node gets of it. Plans of earlier releases have none: 24. */
  nodePrefix?: number;
  serviceCidr: string;
  nodes: { name: string; role: 'master' | 'worker'; address: string }[];
  noProxy: string;
}

/** User and password may stand in the URLs. */
export interface ProxyInput {
  http_proxy?: string;
  https_proxy?: string;
}

export interface KubernetesInput {
  version: string;
  aptUrl: string | null;
  /** Of the repository's key. Plans of earlier releases have none, and nothing was compared then. */
  fingerprint?: string;
}

/** What container runtime a node gets. */
export interface RuntimeInput {
  pauseImage: string;
  package: string;
  source: AptSource | null;
  leastContainerd: number;
}
