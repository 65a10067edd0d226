import type { Vnfc } from '@windlass/mgmt-driver';
import type { DesiredState } from './desired-state.js';

/**
 * VNFCs with their zones, where the grant that the VNF was made with names some, as drivers are told of them: the zone that Nova shows of the
 * server, for a grant whose zone no template asks for moves nothing; the grant's where no server has been seen.
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
