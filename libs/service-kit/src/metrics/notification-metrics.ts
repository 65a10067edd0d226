import { Counter, type Registry } from 'prom-client';
import { readGauges } from './read-gauges.js';

/** What waits for the subscribers of one API, over all projects. */
export interface WaitingOfApi {
  /** `vnflcm-v1`. */
  api: string;
  pending: number;
  /** Seconds that the oldest has waited; 0 where none waits. */
  oldestAge: number;
}

/**
 * What waits for subscribers (every replica shows the same figures: take the greatest, not the sum), and what became of deliveries of this replica.
 * @returns counts deliveries
 */
export function notificationMetrics(
  registry: Registry,
  read: () => Promise<readonly WaitingOfApi[]>,
): (result: 'delivered' | 'failed' | 'dropped', times: number) => void {
  const gauge = readGauges(registry, 'api', read, ({ api }) => api);
  gauge('windlass_notifications_pending', 'Notifications that wait for their delivery', ({ pending }) => pending);
  gauge(
    'windlass_notifications_oldest_age_seconds',
    'Seconds that the oldest of them has waited; 0 when there is none',
    ({ oldestAge }) => oldestAge,
  );
  const deliveries = new Counter({
    name: 'windlass_notification_deliveries_total',
    help: 'Notifications delivered, attempts that failed, and notifications that were dropped, by this replica',
    labelNames: ['result'],
    registers: [registry],
  });
  return (result, times) => deliveries.inc({ result }, times);
}
