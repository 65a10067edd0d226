import { HostContext } from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import type { NodeInput } from '../node/node-input.js';
import type { EtcdStepInput } from './contracts.js';
import { Etcd } from './etcd.js';

/** What an action on etcd works with: all masters that stay, none of which comes first. */
export class EtcdContext<Input extends EtcdStepInput> extends HostContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['masters']);
  }

  get etcd(): Etcd {
    const seats = this.input.masters.map((master) => ({
      host: this.hostOf(master),
      name: master.name,
      address: master.address,
    }));
    return new Etcd(seats, { progress: (line) => this.progress(line) });
  }

  protected override get machine(): NodeInput {
    const [any] = this.input.masters;
    if (any === undefined)
      throw new InvariantError(`step ${this.run.stepId} has no master to ask: the plan must name those that stay`);
    return any;
  }

  protected override get otherMachines(): readonly NodeInput[] {
    return this.input.masters.slice(1);
  }
}
