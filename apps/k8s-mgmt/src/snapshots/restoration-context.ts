import type { DriverPorts, VimRegistry } from '@windlass/driver-kit';
import type { StepRun } from '@windlass/saga';
import { NodeContext } from '../node/node-context.js';
import type { FetchSnapshotInput } from './contracts.js';

/** A machine that is to be the only master again, and who keeps the snapshot. */
export class RestorationContext extends NodeContext<FetchSnapshotInput> {
  readonly vims: VimRegistry;

  constructor(run: StepRun<FetchSnapshotInput>, { hosts, vims }: Pick<DriverPorts, 'hosts' | 'vims'>) {
    super(run, hosts);
    this.vims = vims;
  }
}
