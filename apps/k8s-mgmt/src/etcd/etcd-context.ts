import type { MasterInput } from '@windlass/driver-kit';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import type { NodeStepInput, ClusterStepInput } from '../cluster/node-input.js';
import { ClusterContext, NodeContext } from '../node/node-context.js';
import { Etcd } from './etcd.js';

export interface EtcdStepInput extends ClusterStepInput {
  /** Masters that stay, in no order: any one that lives is asked. */
  masters: MasterInput[];
}

/** A master that leaves, or has died. */
export interface LeavingMaster {
  name: string;
  /** In the cluster's network. The master's etcd member is known by this address. */
  address: string;
}

/** The context of an action on etcd: it asks any of the masters that stay. */
export class EtcdContext<Input extends EtcdStepInput> extends ClusterContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['cluster', 'masters']);
  }

  get etcd(): Etcd {
    const seats = this.input.masters.map((master) => ({ host: this.hostOf(master), address: master.address }));
    return new Etcd(seats, { silent: this.silent, progress: (line) => this.progress(line) });
  }
}

/** The context of an action on a node that also asks etcd, through the other masters. */
export class NodeBesideEtcdContext<Input extends NodeStepInput> extends NodeContext<Input> {
  /** None where a plan's step names no masters. */
  get others(): readonly MasterInput[] {
    return (this.input.masters ?? []).filter(({ address }) => address !== this.node.address);
  }

  get etcd(): Etcd {
    const seats = this.others.map((master) => ({ host: this.hostOf(master), address: master.address }));
    return new Etcd(seats, { silent: this.silent, progress: (line) => this.progress(line) });
  }
}
