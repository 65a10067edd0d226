/** What there is on a node. */
export interface FakeNode {
  hostname: string;
  hosts: string;
  files: Map<string, string>;
  containerd: boolean;
  kubernetes: string | undefined;
  /** Hash of the CA that it trusts. */
  ca: string | undefined;
  /** Environment that programs had. */
  env: Record<string, string>;
  /** What an inspection prints. */
  inspection: string;
  /** What a look at its certificates prints. */
  certificates: string;
  /** Milliseconds that its clock is ahead. */
  clockAhead: number;
  /** What its kubelet enters when it starts. */
  registersAs?: [string, { ready: boolean; address: string }];
  /** A packaged script was run, with these arguments. */
  scriptRuns: string[];
  /** The kubelet's flags, as far as the fakes need them. */
  nodeIp?: string;
  /** Addresses of its links; unless given, whichever is looked for. */
  links?: string[];
}

/** What INSPECT_NODE prints of a node that nothing is wrong with. */
export const FIT = 'cpus 2\nmemory 3900\ndisk 20000\nlink ens3 1450\n';
