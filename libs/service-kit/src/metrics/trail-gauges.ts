import type { Registry } from 'prom-client';
import { readGauges } from './read-gauges.js';

/** What of the audit trail has no link in its chain yet. */
export interface TrailBacklog {
  /** Entries. */
  waiting: number;
  /** Seconds since the oldest of them was written; 0 when there is none. */
  oldestAge: number;
  /** Seconds since the last link was made; undefined before the first. */
  lastLinkAge: number | undefined;
}

/** How far the chain over the audit trail is behind. Every coordinator shows the same figures: take the greatest, not the sum. */
export function trailGauges(registry: Registry, read: () => Promise<TrailBacklog>): void {
  const gauge = readGauges(
    registry,
    'table',
    async () => [await read()],
    () => 'audit_trail',
  );
  gauge('windlass_audit_trail_waiting_entries', 'Entries of the audit trail that are not chained yet', ({ waiting }) => waiting);
  gauge(
    'windlass_audit_trail_oldest_waiting_age_seconds',
    'Seconds since the oldest of them was written; 0 when there is none. More than a minute: nobody chains, or a transaction does not end',
    ({ oldestAge }) => oldestAge,
  );
  gauge(
    'windlass_audit_trail_last_link_age_seconds',
    'Seconds since the last link was made; links are made only where there are new entries',
    ({ lastLinkAge }) => lastLinkAge,
  );
}
