import { seconds, type Duration } from '@windlass/foundation';

/**
 * The lease of a worker: a lost step is taken over when the lease has ended. A shorter lease makes a run faster; with 3 s, claims on a machine under
 * twenty-fold load were answered so late that steps were set aside as poison.
 */
export const LEASE: Duration = seconds(5);
