import type { AptSource } from '../settings/settings.js';
import type { HostStepInput, MachineInput, MasterInput } from '@windlass/driver-kit';

/** A node in a step's input, with references resolved. The name is that of the host and of the Kubernetes node. */
export interface NodeInput extends MachineInput {
  role: 'master' | 'worker';
  /** In the cluster's network. */
  address: string;
}

/** What all steps on a cluster have in common. */
export interface ClusterStepInput extends HostStepInput {
  cluster: ClusterInput;
  /** The masters through which the cluster is asked, any one of them. Plans of earlier releases have none: see `master` and `node`. */
  masters?: MasterInput[];
  /** Plans of earlier releases: the only master. Where the step's node is that master, `node` stands instead. */
  master?: MasterInput;
  node?: NodeInput;
}

/** What all steps on one node have in common. Where neither `masters` nor `master` is given, the cluster is asked through the node itself. */
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
  /** Where the API is reached inside the cluster's network: the only master's address, or the virtual address of several. */
  address: string;
  /** The API's port at that address. Plans of earlier releases have none: 6443. */
  port?: number;
  publicAddress: string | null;
  podCidr: string;
  /** Prefix length of a node's range in the pods' range. Plans of earlier releases have none: 24. */
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
  /** Fingerprint of the repository's key. Plans of earlier releases have none, and their steps compared nothing. */
  fingerprint?: string;
}

/** What container runtime a node gets. */
export interface RuntimeInput {
  pauseImage: string;
  package: string;
  source: AptSource | null;
  leastContainerd: number;
}
