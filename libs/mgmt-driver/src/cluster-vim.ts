import { derivedUuid } from '@windlass/foundation';

/**
 * The VIM that a deployed cluster becomes: the only one that steps of a driver may enter in their instance's `vimConnectionInfo`, or take out.
 * UUID version 5 of the name `kubernetes vim` in the namespace of the instance's id.
 */
export const clusterVimId = (vnfInstanceId: string): string => derivedUuid(vnfInstanceId, 'kubernetes vim');

/** Its entry in the instance's `vimConnectionInfo`: the same of the name `kubernetes vim connection`. */
export const clusterConnectionId = (vnfInstanceId: string): string => derivedUuid(vnfInstanceId, 'kubernetes vim connection');
