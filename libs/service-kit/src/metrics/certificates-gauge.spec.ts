import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { certificatesGauge } from './certificates-gauge.js';

const lines = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('windlass_'));

describe('the metric of certificates that end', () => {
  it('has a line for each cluster, with the time at which its first certificate ends', async () => {
    const registry = new Registry();
    certificatesGauge(registry, () => Promise.resolve([{ vnfInstanceId: 'a', endsAt: 1_795_000_000 }]));
    expect(await lines(registry)).toEqual(['windlass_cluster_certificates_end_timestamp_seconds{vnf_instance="a"} 1795000000']);
  });

  it('has none while the database can’t be read', async () => {
    const registry = new Registry();
    certificatesGauge(registry, () => Promise.reject(new Error('away')));
    expect(await lines(registry)).toEqual([]);
  });
});
