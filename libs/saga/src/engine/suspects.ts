/**
 * A step whose lease ended without a word is a *suspect* until its next result: it, or one that ran beside it, ended their process. Lost
 * together again and again, the poison and its neighbours can't be told apart. So the more losses a suspect has, the fewer others a process
 * may hold beside it, and the last one before it is set aside it meets without any. See ADR 17.
 */

/** By how much more company a suspect may have with each loss that it is still away from being set aside. */
const COMPANY_GROWS_BY = 8;

/** Replicas are named `<service>@<process>`; several services may share a process, and fall with it. A name without `@` is a process's. */
export const processOf = (worker: string): string => worker.slice(worker.lastIndexOf('@') + 1);

/** What a suspect waits for that was kept out of a process. */
export const suspectsKey = (worker: string): string => `suspects:${processOf(worker)}`;

/** Whether a step waits for such a key, and not for a limit. */
export const isSuspectsKey = (key: string): boolean => key.startsWith('suspects:');

/** How many suspects a process may hold when one of them has so many losses: 1 at its last chance, then 8, 64, 512. */
export const companyAllowed = (losses: number, maxLosses: number): number =>
  COMPANY_GROWS_BY ** Math.max(0, maxLosses - 1 - losses);

/**
 * Whether a suspect may run in a process beside the suspects that run there already.
 * @param company the losses of each of those
 */
export const mayJoin = (losses: number, company: readonly number[], maxLosses: number): boolean =>
  company.length < companyAllowed(Math.max(losses, ...company), maxLosses);
