import type { Master, MasterInput } from '@windlass/driver-kit';
import { Etcd } from '../../etcd/etcd.js';
import { NodeContext } from '../../node/node-context.js';
import { KubeCluster } from '../kube-cluster.js';
import type { NodeStepInput } from '../node-input.js';

export interface JoinControlPlaneInput extends NodeStepInput {
  /** The masters that the cluster has already, in any order: any living one is asked. */
  masters: MasterInput[];
  /** Whether the undo of the operation deletes the VM. The undo of the step then leaves the VM alone, and does not need to reach it. */
  goesWithVm?: boolean;
}

/**
 * The context of an action that makes a node a further master. It asks the other masters and not the node itself, whose own state may be unfinished.
 */
export class ControlPlaneContext extends NodeContext<JoinControlPlaneInput> {
  readonly #others: readonly Master[] = this.input.masters
    .filter(({ address }) => address !== this.node.address)
    .map((master) => ({ host: this.hostOf(master), address: master.address }));
  readonly #cluster = new KubeCluster(this.#others, this.silent);

  override get cluster(): KubeCluster {
    return this.#cluster;
  }

  get etcd(): Etcd {
    return new Etcd(this.#others, { silent: this.silent, progress: (line) => this.progress(line) });
  }

  /** A master whose API answers. @throws as {@link KubeCluster.living} */
  living(): Promise<Master> {
    return this.cluster.living();
  }
}
