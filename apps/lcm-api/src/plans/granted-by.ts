import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { grantedByContract, type GrantedBy, type RequestClient } from '@windlass/messaging';

/** Who would grant: undefined where no coordinator answers, or only one of an older release, or NATS has the users of one. */
export async function grantedBy(client: Pick<RequestClient, 'request'>): Promise<GrantedBy['by'] | undefined> {
  try {
    return (await client.request(grantedByContract, {}, { within: seconds(4) })).by;
  } catch (error) {
    if (error instanceof TransientError || error instanceof TerminalError) return undefined;
    throw error;
  }
}
