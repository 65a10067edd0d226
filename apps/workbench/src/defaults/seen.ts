import type { OutboundAnswer } from '@windlass/outbound';

/**
 * What became of a look: it is there; who answers for it says that it is not; or nobody who answers for it was heard, which says nothing about it.
 */
export type Result = 'found' | 'gone' | 'unknown';

export interface Seen {
  readonly result: Result;
  /** Why, in a line. */
  readonly says: string;
}

export const found = (says: string): Seen => ({ result: 'found', says });
export const gone = (says: string): Seen => ({ result: 'gone', says });
export const unknown = (says: string): Seen => ({ result: 'unknown', says });

/** Statuses by which servers say that they have something for nobody. pkgs.k8s.io answers 403 where there is nothing. */
const GONE = new Set([401, 403, 404, 410, 451]);

/** What an answer means that is not 200. */
export const notFound = ({ status }: OutboundAnswer): Seen =>
  GONE.has(status) ? gone(`answered ${status}`) : unknown(`answered ${status}, which does not say whether it is there`);
