import { Secret } from '@windlass/foundation';
import { HostContext } from '@windlass/driver-kit';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { KubeCluster } from '../cluster/kube-cluster.js';
import type { NodeInput, NodeStepInput } from './node-input.js';
import { noProxyEnvironment, proxyEnvironment, proxySecrets } from './proxy-files.js';

/** What an action on a node of a cluster works with, on behalf of one claim. */
export class NodeContext<Input extends NodeStepInput> extends HostContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['cluster', 'node']);
  }

  get node(): NodeInput {
    return this.input.node;
  }

  protected override get machine(): NodeInput {
    return this.node;
  }

  protected override get otherMachines(): readonly NodeInput[] {
    return this.input.master === undefined ? [] : [this.input.master];
  }

  protected override get secrets(): readonly Secret[] {
    return proxySecrets(this.input.proxy ?? {});
  }

  /** The cluster, through a living master. */
  get cluster(): KubeCluster {
    return new KubeCluster(this.hostOf(this.input.master ?? this.node));
  }

  /**
   * Environment of kubeadm, which copies every variable `*_proxy` into manifests of static pods and kube-proxy's DaemonSet, where whoever reads
   * pods reads passwords. It needs no proxy: containerd pulls its images by a configuration of its own, and its version stands in its own.
   */
  get kubeadmEnvironment(): Record<string, string> {
    return noProxyEnvironment(this.input.proxy ?? {}, this.input.cluster.noProxy);
  }

  /** Environment of programs that go through the proxies. */
  get proxies(): Record<string, string | Secret> {
    return proxyEnvironment(this.input.proxy ?? {}, this.input.cluster.noProxy);
  }
}
