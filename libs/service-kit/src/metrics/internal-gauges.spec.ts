import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { internalGauges } from './internal-gauges.js';

const lines = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('windlass_'));

describe('the metrics of internal operations', () => {
  it('tell for each kind how many are pending and how old the oldest is, a kind without any too, from one reading', async () => {
    const registry = new Registry();
    let readings = 0;
    internalGauges(registry, () => {
      readings += 1;
      return Promise.resolve([
        { kind: 'AUDIT', pending: 0, oldestAge: 0 },
        { kind: 'CLEAN_UP', pending: 2, oldestAge: 86_400.5 },
      ]);
    });
    expect(await lines(registry)).toEqual([
      'windlass_internal_operations_pending{kind="AUDIT"} 0',
      'windlass_internal_operations_pending{kind="CLEAN_UP"} 2',
      'windlass_internal_operations_oldest_age_seconds{kind="AUDIT"} 0',
      'windlass_internal_operations_oldest_age_seconds{kind="CLEAN_UP"} 86400.5',
    ]);
    expect(readings).toBe(1);
  });

  it('say nothing while the database can’t be read, rather than that there is nothing to do', async () => {
    const registry = new Registry();
    internalGauges(registry, () => Promise.reject(new Error('away')));
    expect(await lines(registry)).toEqual([]);
  });
});
