import { InvariantError, shape, type TypeOf } from '@windlass/foundation';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { HostContext, type HostStepInput } from '../host/host-context.js';
import { machineMembers, type MachineInput } from '../host/machine-input.js';
import { exactly, hostName } from '../inputs/input-shapes.js';
import { KubeApi } from './kube-api.js';

const master = exactly({
  ...machineMembers,
  /** In the cluster's network, IPv4. */
  address: hostName,
});

/** A master through which the cluster is asked. The node's name in the cluster does not matter. */
export type MasterInput = TypeOf<typeof master>;

/** The masters of a cluster. */
export const masters = shape.list({ minItems: 1, maxItems: 100, items: master });

/** Input of a step on a cluster as a whole. */
export interface MastersStepInput extends HostStepInput {
  /** The masters through which the cluster is asked, any one of them; at least one. */
  masters: MasterInput[];
}

/** The context of actions on a cluster that is asked through any of its masters. */
export class MastersContext<Input extends MastersStepInput = MastersStepInput> extends HostContext<Input> {
  #api: KubeApi | undefined;

  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['masters']);
  }

  /** The cluster's API, through any living master. */
  get api(): KubeApi {
    const masters = this.input.masters.map((each) => ({ host: this.hostOf(each), address: each.address }));
    this.#api ??= new KubeApi(masters, this.silent);
    return this.#api;
  }

  protected get machine(): MachineInput {
    const [first] = this.input.masters;
    if (first === undefined) throw new InvariantError(`step ${this.run.stepId} has no master to ask`);
    return first;
  }

  protected override get otherMachines(): readonly MachineInput[] {
    return this.input.masters.slice(1);
  }
}
