import type { Answers } from '../../dist/openapi.js';
import type { Instance } from '../api/types.js';
import { certificatesIn } from './certificates.js';
import type { ShownVnfc } from './topology.js';

/** A cluster as it says of itself (docs/contracts/rest-extensions.md). */
export type Cluster = Answers['/windlass/v1/vnf_instances/{id}/cluster'];
export type ClusterNode = Cluster['nodes'][number];

/** A machine of the cluster: a VM of the instance, a node of the cluster, mostly both. */
export interface Member {
  key: string;
  role: 'master' | 'worker' | '';
  vnfc: ShownVnfc | undefined;
  node: ClusterNode | undefined;
}

/** Whether an instance has deployed a cluster: one of its VIM connections leads to one, or its certificates were looked at. */
export const hasCluster = ({ vimConnectionInfo = [], instantiatedVnfInfo }: Instance, vnfcs: readonly ShownVnfc[]): boolean =>
  // An instance whose VMs are none is a set of containers in somebody else's cluster.
  vnfcs.length > 0 &&
  (vimConnectionInfo.some(({ vimType }) => /kubernetes/i.test(vimType)) || certificatesIn(instantiatedVnfInfo) !== undefined);

/**
 * The machines of a cluster, masters first: nodes with the VMs that have their addresses, then VMs of which the cluster knows nothing.
 * @param nodes as the cluster says; none where it says nothing
 */
export function membersOf(
  { instantiatedVnfInfo }: Pick<Instance, 'instantiatedVnfInfo'>,
  vnfcs: readonly ShownVnfc[],
  nodes: readonly ClusterNode[],
): Member[] {
  const byAddress = new Map(vnfcs.flatMap((vnfc) => addressesOf(vnfc).map((address) => [address, vnfc] as const)));
  const masters = new Set((certificatesIn(instantiatedVnfInfo)?.certificates ?? []).map(({ master }) => master));
  const ofNodes = nodes.map((node): Member => {
    const vnfc = node.addresses.map((address) => byAddress.get(address)).find((found) => found !== undefined);
    return { key: `node ${node.name}`, role: node.role, vnfc, node };
  });
  const seen = new Set(ofNodes.map(({ vnfc }) => vnfc?.id));
  const others = vnfcs
    .filter(({ id }) => !seen.has(id))
    .map((vnfc): Member => ({ key: `vnfc ${vnfc.id}`, role: roleOf(vnfc, masters), vnfc, node: undefined }));
  const place = ({ role }: Member): number => (role === 'master' ? 0 : role === 'worker' ? 1 : 2);
  return [...ofNodes, ...others].sort((one, other) => place(one) - place(other));
}

export const addressesOf = ({ ports }: ShownVnfc): string[] => ports.flatMap(({ addresses }) => addresses);

/** A master has certificates, or a VDU named as the guides name it. */
function roleOf(vnfc: ShownVnfc, masters: ReadonlySet<string>): Member['role'] {
  if (addressesOf(vnfc).some((address) => masters.has(address))) return 'master';
  if (/^master/i.test(vnfc.vdu)) return 'master';
  return /^worker/i.test(vnfc.vdu) ? 'worker' : '';
}

/** How a node stands, for people. */
export function standOf({ ready, schedulable }: ClusterNode): { text: string; tone: 'good' | 'undo' | 'bad' } {
  if (ready === 'False') return { text: 'NotReady', tone: 'bad' };
  if (ready === 'Unknown') return { text: 'NotReady, silent', tone: 'bad' };
  return schedulable ? { text: 'Ready', tone: 'good' } : { text: 'Ready, cordoned', tone: 'undo' };
}
