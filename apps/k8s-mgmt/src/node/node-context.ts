import { InvariantError, Secret } from '@windlass/foundation';
import { HostContext, proxySecrets, type MachineInput, type MasterInput } from '@windlass/driver-kit';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { KubeCluster } from '../cluster/kube-cluster.js';
import type { ClusterStepInput, NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { noProxyEnvironment, proxyEnvironment } from './proxy-files.js';

/** What an action on a cluster works with, on behalf of one claim. */
export class ClusterContext<Input extends ClusterStepInput = ClusterStepInput> extends HostContext<Input> {
  #cluster: KubeCluster | undefined;

  constructor(run: StepRun<Input>, hosts: Hosts, members: readonly (keyof Input)[] = ['cluster']) {
    super(run, hosts, members);
  }

  protected get machine(): MachineInput {
    const [first] = this.#masters;
    if (first === undefined) throw new InvariantError(`step ${this.run.stepId} has no master to ask`);
    return first;
  }

  protected override get otherMachines(): readonly MachineInput[] {
    const own = this.machine.vnfc.resourceId;
    return this.#masters.filter(({ vnfc }) => vnfc.resourceId !== own);
  }

  /** The cluster, through any living master. */
  get cluster(): KubeCluster {
    const masters = this.#masters.map((each) => ({ host: this.hostOf(each), address: each.address }));
    this.#cluster ??= new KubeCluster(masters, this.silent);
    return this.#cluster;
  }

  get #masters(): readonly MasterInput[] {
    const { masters, master, node } = this.input;
    return masters ?? [master, node].filter((each) => each !== undefined).slice(0, 1);
  }
}

/** What an action on a node of a cluster works with. */
export class NodeContext<Input extends NodeStepInput> extends ClusterContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['cluster', 'node']);
  }

  get node(): NodeInput {
    return this.input.node;
  }

  protected override get machine(): MachineInput {
    return this.node;
  }

  protected override get secrets(): readonly Secret[] {
    return proxySecrets(this.input.proxy ?? {});
  }

  /**
   * Environment of kubeadm. It holds no proxy, because kubeadm copies every variable `*_proxy` into manifests of static pods and kube-proxy's
   * DaemonSet, where everybody who reads pods would read passwords. kubeadm needs none: containerd pulls its images, with proxies of its own, and the
   * version is in kubeadm's configuration.
   */
  get kubeadmEnvironment(): Record<string, string> {
    return noProxyEnvironment(this.input.proxy ?? {}, this.input.cluster.noProxy);
  }

  /** Environment of programs that go through the proxies. */
  get proxies(): Record<string, string | Secret> {
    return proxyEnvironment(this.input.proxy ?? {}, this.input.cluster.noProxy);
  }
}
