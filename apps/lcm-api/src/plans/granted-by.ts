import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { grantedByContract, type GrantedBy, type RequestClient } from '@windlass/messaging';

/**
 * What grants: a coordinator by itself, or an NFVO. Undefined where no coordinator answers, or only one of an older release, or where NATS has the
 * users of an older release.
 */
export async function grantedBy(client: Pick<RequestClient, 'request'>): Promise<GrantedBy['by'] | undefined> {
  try {
    return (await client.request(grantedByContract, {}, { within: seconds(4) })).by;
  } catch (error) {
    if (error instanceof TransientError || error instanceof TerminalError) return undefined;
    throw error;
  }
}
