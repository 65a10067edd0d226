import { Gauge, type Registry } from 'prom-client';
import type { LimitUse } from '@windlass/saga';

/**
 * What runs and waits per limit key, read from the journal whenever the metrics are asked for. Every coordinator shows the same figures: take
 * the greatest, not the sum. When the journal can't be read the figures are left out, and readiness says why.
 */
export function limitGauges(
  registry: Registry,
  limitOf: (key: string) => number | undefined,
  read: () => Promise<readonly LimitUse[]>,
): void {
  let reading: Promise<readonly LimitUse[]> | undefined;
  // All gauges of one answer show one reading.
  const uses = (): Promise<readonly LimitUse[]> =>
    (reading ??= read()
      .catch(() => [])
      .finally(() => (reading = undefined)));
  const gauge = (name: string, help: string, figure: (use: LimitUse) => number | undefined): Gauge<'key'> =>
    new Gauge({
      name,
      help,
      labelNames: ['key'],
      registers: [registry],
      async collect() {
        const now = await uses();
        this.reset();
        for (const use of now) {
          const value = figure(use);
          if (value !== undefined) this.set({ key: use.key }, value);
        }
      },
    });
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
