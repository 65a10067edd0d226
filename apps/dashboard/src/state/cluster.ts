import type { Instance, Vim } from '../api/types.js';
import { certificatesIn } from './certificates.js';
import type { ShownVnfc } from './topology.js';

/** What the API tells of the cluster that an instance has deployed. */
export interface ShownCluster {
  /** As it is registered: the address of its API, and whether it answered last. Absent where the registry does not have it any more. */
  vim: Vim | undefined;
  nodes: { vnfc: ShownVnfc; role: 'master' | 'worker' | '' }[];
}

/** Undefined for an instance that has deployed no cluster: none of its VIM connections leads to one. */
export function clusterOf(
  { vimConnectionInfo = [], instantiatedVnfInfo }: Instance,
  vnfcs: readonly ShownVnfc[],
  vims: readonly Vim[],
): ShownCluster | undefined {
  const seen = certificatesIn(instantiatedVnfInfo);
  const connection = vimConnectionInfo.find(({ vimType }) => /kubernetes/i.test(vimType));
  // An instance whose VMs are none is a set of containers in somebody else's cluster.
  if (vnfcs.length === 0 || (connection === undefined && seen === undefined)) return undefined;
  const masters = new Set((seen?.certificates ?? []).map(({ master }) => master));
  return {
    vim: connection === undefined ? undefined : vims.find(({ id }) => id === connection.vimId),
    nodes: vnfcs.map((vnfc) => ({ vnfc, role: roleOf(vnfc, masters) })),
  };
}

/** A master has certificates, or a VDU named as the guides name it. */
function roleOf({ vdu, ports }: ShownVnfc, masters: ReadonlySet<string>): 'master' | 'worker' | '' {
  if (ports.some(({ addresses }) => addresses.some((address) => masters.has(address)))) return 'master';
  if (/^master/i.test(vdu)) return 'master';
  return /^worker/i.test(vdu) ? 'worker' : '';
}
