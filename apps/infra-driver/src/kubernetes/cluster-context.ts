import type { OnCluster } from '@windlass/lifecycle';
import { implementAction, throughFence, type Action, type ActionContract, type ActionWork, type StepRun } from '@windlass/saga';
import type { InfraSettings, PackageReader } from '../actions/infra-context.js';
import { unlessCancelled } from '../actions/stop-stack.js';
import type { WaitingLooks } from '../looks/waiting-looks.js';
import type { Cluster, OpenCluster } from './cluster-api.js';

/** What an action on a cluster works with, on behalf of one claim. */
export interface ClusterContext<Input> {
  run: StepRun<Input>;
  input: Input;
  /** Its changes are fenced by the claim's lease. */
  cluster: Cluster;
  settings: Pick<InfraSettings, 'objectsWithin'>;
  packages: PackageReader;
  /** Turns for looks, of runs that hold no place while they wait. */
  looks: WaitingLooks;
}

/** What actions on clusters are given, for every claim. */
export interface ClusterMeans {
  settings: InfraSettings;
  packages: PackageReader;
  open: OpenCluster;
  looks: WaitingLooks;
}

/** Binds this service's work to the contract of an action on a cluster. */
export const clusterAction = <Input, Output>(
  contract: ActionContract<Input, Output>,
  work: ActionWork<ClusterContext<Input>, NoInfer<Output>>,
): Action<ClusterContext<Input>, Input, Output> =>
  // Nothing goes on outside that a cancel would have to end: each request has come to its own end.
  implementAction(contract, { stop: () => Promise.resolve(true), ...work });

/** The cluster of a claim, until its work is done. */
export async function withCluster<Input extends Pick<OnCluster, 'vim'>, T>(
  claimed: StepRun<Input>,
  { settings, packages, open, looks }: ClusterMeans,
  work: (context: ClusterContext<Input>) => Promise<T>,
): Promise<T> {
  return throughFence(claimed, async (run) => {
    const { input, signal } = run;
    const cluster = open(input.vim, { fence: () => run.assertLease(), signal, changeSignal: unlessCancelled(run) });
    try {
      return await work({ run, input, cluster, settings, packages, looks });
    } finally {
      cluster.close();
    }
  });
}
