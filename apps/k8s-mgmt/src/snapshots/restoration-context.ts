import type { DriverPorts, VimRegistry } from '@windlass/driver-kit';
import type { StepRun } from '@windlass/saga';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { Nameless } from '../cluster/node-names.js';
import type { PackageSources } from '../cluster/node-packages.js';
import { NodeContext } from '../node/node-context.js';

export interface FetchSnapshotInput extends NodeStepInput {
  /** All nodes that the cluster is to have, in the plan's order. */
  nodes: Nameless[];
  sources: PackageSources;
  /** Of the archive that the request names, hex; the newest unless given. */
  sha256?: string;
}

/** The machine that becomes the only master again, and the registry that keeps the snapshot. */
export class RestorationContext extends NodeContext<FetchSnapshotInput> {
  readonly vims: VimRegistry;

  constructor(run: StepRun<FetchSnapshotInput>, { hosts, vims }: Pick<DriverPorts, 'hosts' | 'vims'>) {
    super(run, hosts);
    this.vims = vims;
  }
}
