import { API_PORT, cidrContains, ipv4Among, loginAddress, parseCidr, parseIpv4 } from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { clusterAddresses, clusterParams, type NodeParams } from '../../kubeadm/parameters/parameters.js';
import { nodesIn } from '../pod-addresses.js';

export type Role = 'master' | 'worker';

/** A VM as a node of the cluster, known by its address. Which name the node has, only the cluster knows. */
export interface ClusterNode {
  role: Role;
  /** In the cluster's network: first IPv4 address of `nic_cp_name`. */
  address: string;
  vnfc: Vnfc;
  sshCp: string;
}

/** Where the API is reached. */
export interface Endpoint {
  /** In the cluster's network. */
  address: string;
  port: number;
  /** From outside, where that is a floating IP. */
  publicAddress: string | null;
}

/** What is to become a cluster, or is one. */
export interface ClusterShape extends ReturnType<typeof clusterAddresses> {
  masters: ClusterNode[];
  workers: ClusterNode[];
  endpoint: Endpoint;
  /** The virtual address that several masters share; null where there is one master. */
  vip: string | null;
}

/** All nodes of a cluster, masters first. */
export const nodesOf = ({ masters, workers }: Pick<ClusterShape, 'masters' | 'workers'>): ClusterNode[] => [
  ...masters,
  ...workers,
];

/** The balanced API of several masters: kubeadm's own port is each master's API server's. */
const BALANCED_PORT = 16_443;

/**
 * Nodes and addresses of a cluster (spec/mgmt-kubernetes.md section 1).
 * @throws TerminalError `cluster.*` when the VNFCs are not what the parameters say
 */
export function clusterOf(hook: HookContext): ClusterShape {
  const params = clusterParams(hook.instantiateParams);
  const masters = vmsOf(hook.vnfcs, 'master', params.master_node);
  const workers = vmsOf(hook.vnfcs, 'worker', params.worker_node);
  if (masters.length === 0)
    throw wrong('no-master', `no VM has the CP ${params.master_node.ssh_cp_name} of the master: is master_node right?`);
  const addresses = clusterAddresses(params);
  checkAddresses([...masters, ...workers]);
  checkRanges([...masters, ...workers], addresses.podCidr, addresses.serviceCidr);
  const endpoint = endpointOf(hook, masters);
  const vip = masters.length > 1 ? endpoint.address : null;
  const floating = vip !== null && endpoint.publicAddress === null ? masters.find(hasFloatingIp) : undefined;
  if (floating !== undefined)
    throw wrong(
      'no-public-address',
      `${floating.vnfc.name} is logged in to by a floating IP, and the cluster of ${masters.length} masters has none: name its floating IP in master_node.cluster_fip_name`,
    );
  return { masters, workers, endpoint, vip, ...addresses };
}

const hasFloatingIp = ({ vnfc, sshCp }: ClusterNode): boolean =>
  vnfc.cps.some(({ cpdId, floatingIp }) => cpdId === sshCp && floatingIp !== null);

/** The only master is the endpoint by itself. Several masters share a port of the VNF. */
function endpointOf({ instantiateParams, sharedCps }: HookContext, masters: readonly ClusterNode[]): Endpoint {
  const { cluster_cp_name: name, cluster_fip_name: fip } = clusterParams(instantiateParams).master_node;
  const [only] = masters;
  const alone = masters.length === 1 ? only : undefined;
  const own = alone?.vnfc.cps.find(({ cpdId }) => cpdId === name);
  const common = sharedCps.find((cp) => cp.name === name);
  const address = ipv4Among((own ?? common)?.addresses ?? []);
  if (address === undefined) {
    const where =
      alone === undefined ? `the VNF has no port ${name}` : `the CP ${name} of ${alone.vnfc.name} has no IPv4 address`;
    const what = alone === undefined ? ' with an IPv4 address, which its masters share: is cluster_cp_name right?' : '';
    throw wrong('no-address', `${where}${what}`);
  }
  const floating = sharedCps.find((cp) => cp.name === fip);
  const publicAddress = (own ?? common)?.floatingIp ?? loginAddress(floating) ?? null;
  return { address, port: masters.length > 1 ? BALANCED_PORT : API_PORT, publicAddress };
}

/** The VMs that have a role's CPs, in the order in which the VMs were made. */
function vmsOf(vnfcs: readonly Vnfc[], role: Role, params: NodeParams): ClusterNode[] {
  return vnfcs.flatMap((vnfc) => {
    const otherGroup = params.aspect_id !== undefined && vnfc.aspectId !== null && vnfc.aspectId !== params.aspect_id;
    if (otherGroup || !vnfc.cps.some(({ cpdId }) => cpdId === params.ssh_cp_name)) return [];
    const address = ipv4Among(vnfc.cps.find(({ cpdId }) => cpdId === params.nic_cp_name)?.addresses ?? []);
    if (address === undefined)
      throw wrong('no-address', `the CP ${params.nic_cp_name} of ${vnfc.name} has no IPv4 address; ${role}s need one`);
    return [{ vnfc, role, address, sshCp: params.ssh_cp_name }];
  });
}

/** The VMs among these that are nodes, whether the cluster has them or not: those that leave, or have left. */
export function nodesAmong(hook: HookContext, vnfcs: readonly Vnfc[]): ClusterNode[] {
  const params = clusterParams(hook.instantiateParams);
  return [...vmsOf(vnfcs, 'master', params.master_node), ...vmsOf(vnfcs, 'worker', params.worker_node)];
}

function checkAddresses(nodes: readonly ClusterNode[]): void {
  for (const [index, { address, role }] of nodes.entries()) {
    const twin = nodes.slice(0, index).find((earlier) => earlier.address === address);
    if (twin !== undefined) throw wrong('same-address', `a ${twin.role} and a ${role} have the address ${address}`);
  }
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
        `${inside.vnfc.name} has the address ${inside.address}, which lies in ${field} ${text}: roll the operation back, then ask anew with another ${field}`,
      );
  }
}

/**
 * Checks that each node can have a range of its own for pods. Not for a packaged script, which shares out the addresses by itself.
 * @throws TerminalError `cluster.pod-cidr-too-small`
 */
export function checkPodRange({ masters, workers, podCidr, nodePrefix }: ClusterShape): void {
  const most = nodesIn(parseCidr(podCidr)?.prefix ?? 0, nodePrefix);
  const count = masters.length + workers.length;
  if (count > most)
    throw wrong(
      'pod-cidr-too-small',
      `pod_cidr ${podCidr} is enough for ${most} nodes, a /${nodePrefix} each; there are ${count}`,
    );
}

const wrong = (code: string, detail: string): TerminalError => new TerminalError(`cluster.${code}`, detail);
