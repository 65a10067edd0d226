import type { DriverPorts, VimRegistry } from '@windlass/driver-kit';
import type { StepRun } from '@windlass/saga';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { Nameless } from '../cluster/node-names.js';
import type { PackageSources } from '../cluster/node-packages.js';
import { NodeContext } from '../node/node-context.js';

export interface FetchSnapshotInput extends NodeStepInput {
  /** All of the cluster as it is to be, in the plan's order. */
  nodes: Nameless[];
  sources: PackageSources;
  /** Of the archive that the request names, hex; the newest unless given. */
  sha256?: string;
}

/** A machine that is to be the only master again, and who keeps the snapshot. */
export class RestorationContext extends NodeContext<FetchSnapshotInput> {
  readonly vims: VimRegistry;

  constructor(run: StepRun<FetchSnapshotInput>, { hosts, vims }: Pick<DriverPorts, 'hosts' | 'vims'>) {
    super(run, hosts);
    this.vims = vims;
  }
}
