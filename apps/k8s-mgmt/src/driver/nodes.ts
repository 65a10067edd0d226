import { cidrContains, parseCidr, parseIpv4 } from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { DEFAULT_NODE_PREFIX, nodesIn } from '../cluster/pod-addresses.js';
import { clusterParams, DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR, type NodeParams } from './parameters.js';

export type Role = 'master' | 'worker';

/** A VM as a node of the cluster. */
export interface ClusterNode {
  role: Role;
  /** Host name and Kubernetes node name. */
  name: string;
  /** In the cluster's network: first address of `nic_cp_name`. */
  address: string;
  vnfc: Vnfc;
  sshCp: string;
}

/** What is to become a cluster. */
export interface ClusterShape {
  master: ClusterNode;
  workers: ClusterNode[];
  /** The API server's address in the cluster's network. */
  address: string;
  /** By which the API server is reached from outside, where that is a floating IP. */
  publicAddress: string | null;
  podCidr: string;
  /** Prefix length of what a node gets of it. */
  nodePrefix: number;
  serviceCidr: string;
}

/**
 * Nodes, names and addresses of a flavour with one master (spec/mgmt-kubernetes.md section 1).
 * @throws TerminalError `cluster.*` when the VNFCs are not what the parameters say
 */
export function clusterOf(hook: HookContext): ClusterShape {
  const params = clusterParams(hook.instantiateParams);
  const masters = nodesOf(hook.vnfcs, 'master', params.master_node);
  const workers = nodesOf(hook.vnfcs, 'worker', params.worker_node);
  const [master] = masters;
  if (master === undefined)
    throw wrong('no-master', `no VM has the CP ${params.master_node.ssh_cp_name} of the master: is master_node right?`);
  if (masters.length > 1)
    throw wrong(
      'several-masters',
      `${masters.length} VMs are masters; this release installs clusters with one: use the flavour "simple"`,
    );
  const podCidr = params.master_node.pod_cidr ?? DEFAULT_POD_CIDR;
  const serviceCidr = params.master_node.cluster_cidr ?? DEFAULT_SERVICE_CIDR;
  const cp = master.vnfc.cps.find(({ cpdId }) => cpdId === params.master_node.cluster_cp_name);
  const address = cp?.addresses[0];
  if (address === undefined || parseIpv4(address) === undefined)
    throw wrong('no-address', `the CP ${params.master_node.cluster_cp_name} of ${master.vnfc.name} has no IPv4 address`);
  const nodePrefix = params.master_node.pod_node_prefix ?? DEFAULT_NODE_PREFIX;
  checkRanges([master, ...workers], podCidr, serviceCidr);
  const shared = hook.sharedCps.find(({ name }) => name === params.master_node.cluster_fip_name);
  const publicAddress = cp?.floatingIp ?? shared?.floatingIp ?? shared?.addresses[0] ?? null;
  return { master, workers, address, publicAddress, podCidr, nodePrefix, serviceCidr };
}

/** VMs that have the CPs of a role, in the order of their making. */
function nodesOf(vnfcs: readonly Vnfc[], role: Role, params: NodeParams): ClusterNode[] {
  const found = vnfcs.flatMap((vnfc) => {
    const otherGroup = params.aspect_id !== undefined && vnfc.aspectId !== null && vnfc.aspectId !== params.aspect_id;
    if (otherGroup || !vnfc.cps.some(({ cpdId }) => cpdId === params.ssh_cp_name)) return [];
    const address = vnfc.cps.find(({ cpdId }) => cpdId === params.nic_cp_name)?.addresses[0];
    if (address === undefined || parseIpv4(address) === undefined)
      throw wrong('no-address', `the CP ${params.nic_cp_name} of ${vnfc.name} has no IPv4 address; ${role}s need one`);
    return [{ vnfc, address }];
  });
  const names = nodeNames(
    role,
    found.map(({ address }) => address),
  );
  return found.map((node, index) => ({ ...node, role, name: names[index] ?? role, sshCp: params.ssh_cp_name }));
}

/**
 * `worker24` for 10.10.0.24. Where an earlier node has that name already, as many more octets as it takes: `worker0-24`. The earlier
 * ones keep theirs, so that a node that joins later renames nobody.
 */
export function nodeNames(role: Role, addresses: readonly string[]): string[] {
  const taken = new Set<string>();
  return addresses.map((address, index) => {
    if (addresses.indexOf(address) < index) throw wrong('same-address', `two ${role}s have the address ${address}`);
    const octets = address.split('.');
    const candidates = [1, 2, 3, 4].map((count) => `${role}${octets.slice(-count).join('-')}`);
    const name = candidates.find((candidate) => !taken.has(candidate)) ?? address;
    taken.add(name);
    return name;
  });
}

/** A node that lies in the pods' or services' range would be cut off by the cluster's own routes. */
function checkRanges(nodes: readonly ClusterNode[], podCidr: string, serviceCidr: string): void {
  const ranges = { pod_cidr: podCidr, cluster_cidr: serviceCidr };
  for (const [field, text] of Object.entries(ranges)) {
    const range = parseCidr(text);
    const inside = nodes.find(({ address }) => range !== undefined && cidrContains(range, parseIpv4(address) ?? -1));
    if (inside !== undefined)
      throw wrong(
        'addresses-overlap',
        `${inside.vnfc.name} has the address ${inside.address}, which lies in ${field} ${text}: choose another ${field}`,
      );
  }
}

/**
 * Every node needs a range of its own for pods. Not for a packaged script, which shares out the addresses by itself.
 * @throws TerminalError `cluster.pod-cidr-too-small`
 */
export function checkPodRange({ master, workers, podCidr, nodePrefix }: ClusterShape): void {
  const most = nodesIn(parseCidr(podCidr)?.prefix ?? 0, nodePrefix);
  const count = [master, ...workers].length;
  if (count > most)
    throw wrong(
      'pod-cidr-too-small',
      `pod_cidr ${podCidr} is enough for ${most} nodes, a /${nodePrefix} each; there are ${count}`,
    );
}

const wrong = (code: string, detail: string): TerminalError => new TerminalError(`cluster.${code}`, detail);
