import type { Registry } from 'prom-client';
import { readGauges } from './read-gauges.js';

/** What is under way over all projects, read from the record. */
export interface UnderWay {
  /** For each state of an occurrence that is not over, how many there are and for how many seconds the oldest has been in it. */
  operations(): Promise<readonly { state: string; count: number; oldestAge: number }[]>;
  /** For each service that has any, steps that a worker could claim now, and for how many seconds the oldest. */
  claimable(): Promise<readonly { service: string; count: number; oldestAge: number }[]>;
  /** Messages that no relay has sent yet, and for how many seconds the oldest. */
  outbox(): Promise<{ waiting: number; oldestAge: number }>;
}

/** As with the limits every coordinator shows the same figures: take the greatest, not the sum. */
export function operationGauges(registry: Registry, read: UnderWay): void {
  const operations = readGauges(
    registry,
    'state',
    () => read.operations(),
    ({ state }) => state,
  );
  operations(
    'windlass_operations',
    'Operation occurrences that are not over; FAILED_TEMP waits for a decision',
    ({ count }) => count,
  );
  operations(
    'windlass_operations_oldest_age_seconds',
    'Seconds since the oldest of them entered this state; 0 when there is none',
    ({ oldestAge }) => oldestAge,
  );
  // Prometheus’ own label `service` says who shows the figure.
  const claimable = readGauges(
    registry,
    'worker_service',
    () => read.claimable(),
    ({ service }) => service,
  );
  claimable(
    'windlass_claimable_steps',
    'Steps of this service that a worker could claim now: more replicas would help. Absent: none',
    ({ count }) => count,
  );
  claimable(
    'windlass_claimable_steps_oldest_age_seconds',
    'Seconds since the oldest of them could be claimed first',
    ({ oldestAge }) => oldestAge,
  );
  const outbox = readGauges(
    registry,
    'table',
    async () => [await read.outbox()],
    () => 'outbox',
  );
  outbox('windlass_outbox_unsent_messages', 'Messages of the outbox that no relay has sent yet', ({ waiting }) => waiting);
  outbox(
    'windlass_outbox_oldest_unsent_age_seconds',
    'Seconds since the oldest of them was written; 0 when there is none',
    ({ oldestAge }) => oldestAge,
  );
}
