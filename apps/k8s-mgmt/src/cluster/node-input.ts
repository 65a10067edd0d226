import type { AptSource } from '../settings/settings.js';
import type { HostStepInput, MachineInput, MasterInput } from '@windlass/driver-kit';

/** A node as a step's input has it, references resolved; its name is that of the host and of the Kubernetes node. */
export interface NodeInput extends MachineInput {
  role: 'master' | 'worker';
  /** In the cluster's network. */
  address: string;
}

/** What all steps on a cluster have in common. */
export interface ClusterStepInput extends HostStepInput {
  cluster: ClusterInput;
  /** Through any of which the cluster is asked. None where a step's plan was made by an earlier release: see `master` and `node`. */
  masters?: MasterInput[];
  /** Plans of earlier releases: the one master; `node` where it is that. */
  master?: MasterInput;
  node?: NodeInput;
}

/** What all steps on one node have in common. Where no master is given, the node itself is asked. */
export interface NodeStepInput extends ClusterStepInput {
  node: NodeInput;
  proxy?: ProxyInput;
}

/** A node by its name in the cluster. */
export interface NamedNode {
  name: string;
  role: 'master' | 'worker';
  address: string;
}

export interface ClusterInput {
  /** Where the API is reached inside: the one master's address, or the virtual one of several. */
  address: string;
  /** Of the API at that address. Plans of earlier releases have none: 6443. */
  port?: number;
  publicAddress: string | null;
  podCidr: string;
  /** Prefix length of what a node gets of it. Plans of earlier releases have none: 24. */
  nodePrefix?: number;
  serviceCidr: string;
  nodes: NamedNode[];
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
