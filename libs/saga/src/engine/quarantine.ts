/**
 * A step whose lease ended without a word is in *quarantine* until its next result: it, or one that ran beside it, ended their process. Lost
 * together again and again, the poison and its neighbours can't be told apart. So the more losses a quarantined step has, the fewer others a process
 * may hold beside it. Before the loss that sets it aside it runs without any other. See ADR 17.
 */

/** By what factor more quarantined steps may run in one process, for each loss that they are still away from being set aside. */
const QUARANTINE_GROWTH = 8;

/** Replicas are named `<service>@<process>`; several services may share a process, and fall with it. A name without `@` is a process's. */
export const processOf = (worker: string): string => worker.slice(worker.lastIndexOf('@') + 1);

/** What a quarantined step waits for that was kept out of a process. The name stands in journals. */
export const quarantineKey = (worker: string): string => `suspects:${processOf(worker)}`;

/** Whether a step waits for such a key, and not for a limit. */
export const isQuarantineKey = (key: string): boolean => key.startsWith('suspects:');

/** How many quarantined steps a process may hold when one of them has so many losses: 1 at its last chance, then 8, 64, 512. */
export const maxQuarantinedTogether = (losses: number, maxLosses: number): number =>
  QUARANTINE_GROWTH ** Math.max(0, maxLosses - 1 - losses);

/**
 * Whether a quarantined step may run in a process beside those that run there already.
 * @param quarantined the losses of each of those
 */
export const mayRunTogether = (losses: number, quarantined: readonly number[], maxLosses: number): boolean =>
  quarantined.length < maxQuarantinedTogether(Math.max(losses, ...quarantined), maxLosses);
