import { Secret, TerminalError } from '@windlass/foundation';
import type { HostTarget, Vnfc } from '@windlass/mgmt-driver';

/** A node as a step's input has it, references resolved. */
export interface NodeInput {
  name: string;
  role: 'master' | 'worker';
  /** In the cluster's network. */
  address: string;
  sshCp: string;
  vnfc: Vnfc;
  username: string;
  /** The schema takes a number for it too. */
  password: string | number;
}

/** What all steps on nodes have in common. */
export interface NodeStepInput {
  /** The VNF instance. */
  instance: string;
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
}

/** Where a node is and how to get in. @throws TerminalError `node.no-address` */
export function targetOf({ vnfc, sshCp, username, password }: NodeInput): HostTarget {
  const cp = vnfc.cps.find(({ cpdId }) => cpdId === sshCp);
  const address = cp?.floatingIp ?? cp?.addresses[0];
  if (address === undefined)
    throw new TerminalError('node.no-address', `the CP ${sshCp} of ${vnfc.name} has no address to log in to`);
  return { resourceId: vnfc.resourceId, address, username, password: new Secret(String(password)) };
}
