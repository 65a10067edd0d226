/** The state of a fake node. */
export interface FakeNode {
  hostname: string;
  hosts: string;
  files: Map<string, string>;
  containerd: boolean;
  kubernetes: string | undefined;
  /** The hash of the CA that the node trusts. */
  ca: string | undefined;
  /** The environment of programs. */
  env: Record<string, string>;
  /** The output of an inspection. */
  inspection: string;
  /** The output of a look at the node's certificates. */
  certificates: string;
  /** How far the node's clock is ahead, in milliseconds. */
  clockAhead: number;
  /** The node that the kubelet registers at its start. */
  registersAs?: [string, { ready: boolean; address: string }];
  /** The arguments of each run of a packaged script. */
  scriptRuns: string[];
  /** The kubelet's flags, as far as the fakes need them. */
  nodeIp?: string;
  /** The addresses of the node's links; every address unless given. */
  links?: string[];
}

/** The output of INSPECT_NODE on a fit node. */
export const FIT = 'cpus 2\nmemory 3900\ndisk 20000\nlink ens3 1450\n';
