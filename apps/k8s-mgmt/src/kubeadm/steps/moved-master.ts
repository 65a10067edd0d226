import { cidrContains, ipv4Among, parseCidr, parseIpv4 } from '@windlass/driver-kit';
import type { Vnfc } from '@windlass/mgmt-driver';
import type { ClusterShape } from '../../cluster/request/nodes.js';

const BACK =
  'its port was changed in the VIM. A restored master keeps its address: etcd, certificates and kubelets know it by the old one alone. Give that back to the port (openstack port set --fixed-ip)';
const OR_ANEW = ', or heal the whole (name no VNFC), which makes the cluster anew';

/**
 * Why a request can't restore the only master from a snapshot: by the record, the master's address is not the one in the snapshot.
 * @param nic CP of the address in the cluster's network
 */
export function masterElsewhere(
  { cps, name }: Vnfc,
  nic: string,
  snapshot: { master: string; takenAt: string },
): string | undefined {
  const address = ipv4Among(cps.find(({ cpdId }) => cpdId === nic)?.addresses ?? []);
  if (address === undefined || address === snapshot.master) return undefined;
  return `the snapshot of ${snapshot.takenAt} is of the master at ${snapshot.master}, and ${name} has ${address} by the record: ${BACK} and have the record read it (POST .../operate of this VNFC)${OR_ANEW}`;
}

/**
 * Why the only master can't be restored, where the stack shows a changed address that the record does not. The sign: the cluster is registered at an
 * address of the master's own network that the master no longer has. A cluster registered elsewhere (at a floating IP, or at an address that its
 * users pass on) gives no sign.
 * @param clusterUrl `HookContext.clusterUrl`
 */
export function masterMoved({ masters, endpoint }: ClusterShape, clusterUrl: string | undefined): string | undefined {
  const [master] = masters;
  if (master === undefined || endpoint.publicAddress !== null || clusterUrl === undefined || !URL.canParse(clusterUrl))
    return undefined;
  const { hostname: registered } = new URL(clusterUrl);
  const own = master.vnfc.cps.flatMap(({ addresses, floatingIp }) => [
    ...addresses,
    ...(floatingIp === null ? [] : [floatingIp]),
  ]);
  if (own.includes(registered) || !isBeside(master.address, registered)) return undefined;
  return `the cluster is registered at ${registered}, and ${master.vnfc.name} has ${own.join(', ')} now: ${BACK}${OR_ANEW}`;
}

/** In the same /24. */
function isBeside(address: string, other: string): boolean {
  const range = parseCidr(`${address.replace(/\.\d+$/, '.0')}/24`);
  const found = parseIpv4(other);
  return range !== undefined && found !== undefined && cidrContains(range, found);
}
