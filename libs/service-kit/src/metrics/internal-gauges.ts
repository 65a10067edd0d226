import type { Registry } from 'prom-client';
import { readGauges } from './read-gauges.js';

/** Operations of one kind that no client asked for and that have not ended. */
export interface PendingOfKind {
  /** `CLEAN_UP`, `REFRESH`, `AUDIT`. */
  kind: string;
  pending: number;
  /** Seconds since the oldest of them was begun; 0 when there is none. */
  oldestAge: number;
}

/**
 * What Windlass still has to clean up, to refresh and to compare, over all projects. As with the limits every coordinator shows the same
 * figures: take the greatest, not the sum.
 */
export function internalGauges(registry: Registry, read: () => Promise<readonly PendingOfKind[]>): void {
  const gauge = readGauges(registry, 'kind', read, ({ kind }) => kind);
  gauge(
    'windlass_internal_operations_pending',
    'Internal operations (CLEAN_UP, REFRESH, AUDIT) that have not ended, those that wait for their next attempt included',
    ({ pending }) => pending,
  );
  gauge(
    'windlass_internal_operations_oldest_age_seconds',
    'Seconds since the oldest of them was begun; 0 when there is none',
    ({ oldestAge }) => oldestAge,
  );
}
