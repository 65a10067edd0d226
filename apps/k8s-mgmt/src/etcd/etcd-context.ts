import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { ClusterContext } from '../node/node-context.js';
import type { EtcdStepInput } from './contracts.js';
import { Etcd } from './etcd.js';

/** What an action on etcd works with: all masters that stay, none of which comes first. */
export class EtcdContext<Input extends EtcdStepInput> extends ClusterContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['cluster', 'masters']);
  }

  get etcd(): Etcd {
    const seats = this.input.masters.map((master) => ({ host: this.hostOf(master), address: master.address }));
    return new Etcd(seats, { silent: this.silent, progress: (line) => this.progress(line) });
  }
}
