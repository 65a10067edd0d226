import type { Registry } from 'prom-client';
import { readGauges } from './read-gauges.js';

/** When the first certificate of the cluster that a VNF instance is ends. */
export interface EndOfCertificates {
  vnfInstanceId: string;
  /** Seconds since 1970. */
  endsAt: number;
}

/**
 * When clusters stop answering, as far as it was seen: each coordinator shows the same figures. What has ended stays, until it was seen renewed.
 * @param read gives as many as there shall be lines at most
 */
export function certificatesGauge(registry: Registry, read: () => Promise<readonly EndOfCertificates[]>): void {
  const gauge = readGauges(registry, 'vnf_instance', read, ({ vnfInstanceId }) => vnfInstanceId);
  gauge(
    'windlass_cluster_certificates_end_timestamp_seconds',
    'When the first certificate of a cluster’s control plane ends, in seconds since 1970, as it was last looked at; of the 500 clusters whose end first',
    ({ endsAt }) => endsAt,
  );
}
