import { Max } from 'class-validator';
import { asInteger, CoreServiceConfig, Variable, withVimProxy, withVimRules } from '@windlass/service-kit';
import { defaultSnapshotLimits } from './cluster-snapshots.js';

/** What the VIM registry can be told. */
export class VimRegistryConfig extends withVimProxy(withVimRules(CoreServiceConfig)) {
  @Variable({
    name: 'CLUSTER_SNAPSHOTS_KEPT',
    meaning:
      'how many snapshots of its control plane are kept of each VNF instance that is a cluster, the newest ones; each holds the cluster’s keys and Secrets, and is sealed',
    expected: 'a whole number, 0 for none, at most 100',
    read: asInteger,
  })
  @Max(100)
  readonly clusterSnapshotsKept: number = defaultSnapshotLimits.kept;

  @Variable({
    name: 'CLUSTER_SNAPSHOT_MAX_BYTES',
    meaning:
      'the largest snapshot of a control plane that is kept, packed; an operation whose snapshot is larger is warned of that',
    expected: 'a number of bytes, at most 1073741824',
    read: asInteger,
  })
  @Max(1024 ** 3)
  readonly clusterSnapshotMaxBytes: number = defaultSnapshotLimits.mostBytes;
}
