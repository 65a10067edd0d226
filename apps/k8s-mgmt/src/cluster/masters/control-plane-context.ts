import type { Master, MasterInput } from '@windlass/driver-kit';
import { Etcd } from '../../etcd/etcd.js';
import { NodeContext } from '../../node/node-context.js';
import { KubeCluster } from '../kube-cluster.js';
import type { NodeStepInput } from '../node-input.js';

export interface JoinControlPlaneInput extends NodeStepInput {
  /** Those that are masters already, in no order: any one that lives is asked. */
  masters: MasterInput[];
  /** The VM is deleted where this is undone: then nothing has to be taken off it, and it need not be reached. */
  goesWithVm?: boolean;
}

/** What an action works with that makes a node a master of a cluster which has masters. It asks nothing of the node itself, which may be half-way. */
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
