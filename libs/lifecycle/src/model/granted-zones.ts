import type { Vnfc } from '@windlass/mgmt-driver';
import type { DesiredState } from './desired-state.js';

/** VNFCs with the zones of the grant that the VNF was made with, as drivers are told of them. */
export function withGrantedZones<V extends Pick<Vnfc, 'vduId'>>(
  vnfcs: readonly V[],
  desired: Pick<DesiredState, 'granted'> | null,
): (V & Pick<Vnfc, 'grantedZone'>)[] {
  const zones = desired?.granted?.zones ?? {};
  return vnfcs.map((vnfc) => {
    const grantedZone = Object.hasOwn(zones, vnfc.vduId) ? zones[vnfc.vduId] : undefined;
    return grantedZone === undefined ? vnfc : { ...vnfc, grantedZone };
  });
}
