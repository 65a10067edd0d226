import type { Registry } from 'prom-client';
import type { LimitUse } from '@windlass/saga';
import { readGauges } from './read-gauges.js';

/**
 * What runs and waits per limit key, read from the journal whenever the metrics are asked for. Every coordinator shows the same figures: take
 * the greatest, not the sum. When the journal can't be read the figures are left out, and readiness says why.
 */
export function limitGauges(
  registry: Registry,
  limitOf: (key: string) => number | undefined,
  read: () => Promise<readonly LimitUse[]>,
): void {
  const gauge = readGauges(registry, 'key', read, ({ key }) => key);
  gauge(
    'windlass_limit_running_steps',
    'Steps that run under this key (vim:<id>, host:<id>, service:<name>), over all replicas',
    ({ running }) => running,
  );
  gauge(
    'windlass_limit_waiting_steps',
    'Steps that this limit keeps from being claimed, over all replicas',
    ({ waiting }) => waiting,
  );
  gauge('windlass_limit_steps', 'How many steps may run at once under this key; absent: as many as come', ({ key }) =>
    limitOf(key),
  );
}
