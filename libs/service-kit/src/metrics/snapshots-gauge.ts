import type { Registry } from 'prom-client';
import { readGauges } from './read-gauges.js';

/** When the newest snapshot of the control plane of the cluster that a VNF instance is was taken. */
export interface NewestSnapshotOfCluster {
  vnfInstanceId: string;
  /** Seconds since 1970; 0: there is none. */
  takenAt: number;
}

/**
 * How old snapshots are: each coordinator shows the same figures.
 * @param read gives as many as there shall be lines at most
 */
export function snapshotsGauge(registry: Registry, read: () => Promise<readonly NewestSnapshotOfCluster[]>): void {
  const gauge = readGauges(registry, 'vnf_instance', read, ({ vnfInstanceId }) => vnfInstanceId);
  gauge(
    'windlass_cluster_snapshot_taken_timestamp_seconds',
    'When the newest snapshot of a cluster’s control plane was taken, in seconds since 1970, 0 where none is kept; of the 500 clusters whose is oldest',
    ({ takenAt }) => takenAt,
  );
}
