import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { trailGauges } from './trail-gauges.js';

const lines = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('windlass_'));

describe('the metrics of the audit trail', () => {
  it('tell how far the chain is behind, from one reading, and nothing of a link that is not there yet', async () => {
    const registry = new Registry();
    const answers = [
      Promise.resolve({ waiting: 3, oldestAge: 2.5, lastLinkAge: undefined }),
      Promise.resolve({ waiting: 0, oldestAge: 0, lastLinkAge: 7 }),
    ];
    trailGauges(registry, () => answers.shift() ?? Promise.reject(new Error('away')));
    expect(await lines(registry)).toEqual([
      'windlass_audit_trail_waiting_entries{table="audit_trail"} 3',
      'windlass_audit_trail_oldest_waiting_age_seconds{table="audit_trail"} 2.5',
    ]);
    expect(await lines(registry)).toEqual([
      'windlass_audit_trail_waiting_entries{table="audit_trail"} 0',
      'windlass_audit_trail_oldest_waiting_age_seconds{table="audit_trail"} 0',
      'windlass_audit_trail_last_link_age_seconds{table="audit_trail"} 7',
    ]);
    expect(await lines(registry)).toEqual([]);
  });
});
