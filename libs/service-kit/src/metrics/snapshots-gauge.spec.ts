import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { snapshotsGauge } from './snapshots-gauge.js';

describe('the metric of snapshots of control planes', () => {
  it('has a line for each cluster, with the time of its newest, and 0 where there is none', async () => {
    const registry = new Registry();
    const seen = [
      { vnfInstanceId: 'a', takenAt: 0 },
      { vnfInstanceId: 'b', takenAt: 1_795_000_000 },
    ];
    snapshotsGauge(registry, () => Promise.resolve(seen));
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('windlass_'));
    expect(lines).toEqual([
      'windlass_cluster_snapshot_taken_timestamp_seconds{vnf_instance="a"} 0',
      'windlass_cluster_snapshot_taken_timestamp_seconds{vnf_instance="b"} 1795000000',
    ]);
  });
});
