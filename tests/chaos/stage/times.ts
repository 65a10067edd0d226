import { seconds, type Duration } from '@windlass/foundation';

/** How long a worker's lease is: what is lost is taken over when it has ended. */
export const LEASE: Duration = seconds(3);
