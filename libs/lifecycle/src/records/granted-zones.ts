import type { Vnfc } from '@windlass/mgmt-driver';
import type { DesiredState } from './desired-state.js';

/**
 * VNFCs with their zones for drivers, where the grant with which the VNF was made names zones. The zone is the one that Nova shows of the server,
 * because a granted zone that no template asks for has no effect; where no server was seen, it is the grant's.
 */
export function withGrantedZones<V extends Pick<Vnfc, 'vduId' | 'zone'>>(
  vnfcs: readonly V[],
  desired: Pick<DesiredState, 'granted'> | null,
): (V & Pick<Vnfc, 'grantedZone'>)[] {
  const zones = desired?.granted?.zones ?? {};
  return vnfcs.map((vnfc) => {
    const granted = Object.hasOwn(zones, vnfc.vduId) ? zones[vnfc.vduId] : undefined;
    return granted === undefined ? vnfc : { ...vnfc, grantedZone: vnfc.zone ?? granted };
  });
}
