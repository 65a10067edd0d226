import { seconds, type Duration } from '@windlass/foundation';

/**
 * How long a worker's lease is: what is lost is taken over when it has ended. Shorter makes a run faster; with 3 s, claims on a machine under
 * twenty-fold load were answered so late that steps were set aside as poison.
 */
export const LEASE: Duration = seconds(5);
