import { KubeCluster } from '../kube-cluster.js';
import type { Master } from '@windlass/driver-kit';
import { Etcd } from '../../etcd/etcd.js';
import { NodeContext } from '../../node/node-context.js';
import type { JoinControlPlaneInput } from './contracts.js';

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
