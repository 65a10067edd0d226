import { seconds, type Duration } from '@windlass/foundation';
import type { KubeClient } from '../client/kube-client.js';
import { ContainerRuntime, type RuntimeStatus } from '../cri/container-runtime.js';
import { conditionOf, type Condition, type KubeNode, type Lease, type Taint } from '../kube/kinds.js';
import { microTime, sameJson, timestamp, toJson } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { isNotFound, StatusError } from '../kube/status-error.js';
import { hasAddress } from '../host/network.js';
import { capacity, nodeInfo, nodeLabels } from './node-info.js';

/** How often the lease is renewed (the real kubelet: 10 s), and what it claims, as the real one. */
export const LEASE_EVERY: Duration = seconds(2);
const LEASE_SECONDS = 40;

export interface NodeSetting {
  client: KubeClient;
  nodeName: string;
  hostIp: string;
  version: string;
  runtime: ContainerRuntime;
  labels: Record<string, string>;
  taints: Taint[];
  port: number;
  log: (line: string) => void;
}

/** Registers this node, renews its lease, and reports its condition: ready when the container runtime and its network are. */
export class NodeAgent {
  #runtimeStatus: RuntimeStatus | undefined;
  #runtimeError = '';
  #info: Record<string, string> | undefined;

  constructor(private readonly setting: NodeSetting) {}

  get networkReady(): boolean {
    return this.#runtimeStatus?.conditions.some(({ type, status }) => type === 'NetworkReady' && status) === true;
  }

  /** Asks the container runtime how it is. Returns whether anything that matters has changed. */
  async probeRuntime(): Promise<boolean> {
    const before = [this.#runtimeError, this.#runtimeStatus?.conditions];
    try {
      this.#runtimeStatus = await this.setting.runtime.status();
      this.#runtimeError = '';
    } catch (error) {
      this.#runtimeStatus = undefined;
      this.#runtimeError = error instanceof Error ? error.message : String(error);
    }
    return !sameJson(before, [this.#runtimeError, this.#runtimeStatus?.conditions]);
  }

  /** Makes the Node object, or brings an older one of this name up to date. */
  async register(): Promise<KubeNode> {
    const { client, nodeName, labels, taints } = this.setting;
    const node: KubeNode = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: nodeName,
        labels: { ...nodeLabels(nodeName), ...labels },
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      spec: taints.length === 0 ? {} : { taints },
      status: await this.#status(undefined),
    };
    try {
      return await client.create<KubeNode>(R.nodes, node);
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
      await client.patch<KubeNode>(R.nodes, { name: nodeName }, toJson({ metadata: { labels: node.metadata.labels } }));
      return this.report(await client.get<KubeNode>(R.nodes, { name: nodeName }));
    }
  }

  /** Writes the status if it differs from what the cluster has. */
  async report(node: KubeNode): Promise<KubeNode> {
    const status = await this.#status(node);
    if (sameJson(node.status, { ...node.status, ...status })) return node;
    return this.setting.client.patch<KubeNode>(
      R.nodes,
      { name: this.setting.nodeName, subresource: 'status' },
      toJson({ status }),
    );
  }

  async renewLease(node: KubeNode | undefined): Promise<void> {
    const { client, nodeName } = this.setting;
    const metadata = { name: nodeName, namespace: 'kube-node-lease' };
    const spec = { holderIdentity: nodeName, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime() };
    try {
      await client.patch<Lease>(R.leases, metadata, { spec });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const owner =
        node === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid ?? '' }] };
      await client.create<Lease>(R.leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { ...metadata, ...owner },
        spec,
      });
    }
  }

  async #status(node: KubeNode | undefined): Promise<NonNullable<KubeNode['status']>> {
    const { port } = this.setting;
    return {
      conditions: this.#conditions(node),
      ...this.#addresses(node),
      nodeInfo: (this.#info ??= await this.#readInfo()),
      capacity: capacity(),
      allocatable: capacity(),
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
  }

  /** As the real one: it tells no address that no link of the host has, and what the cluster knows stays. */
  #addresses(node: KubeNode | undefined): Pick<NonNullable<KubeNode['status']>, 'addresses'> {
    const { nodeName, hostIp, log } = this.setting;
    if (!hasAddress(hostIp)) {
      log(`failed to validate nodeIP: node IP: "${hostIp}" not found in the host's network interfaces`);
      const known = node?.status?.addresses;
      return known === undefined ? {} : { addresses: known };
    }
    return {
      addresses: [
        { type: 'InternalIP', address: hostIp },
        { type: 'Hostname', address: nodeName },
      ],
    };
  }

  async #readInfo(): Promise<Record<string, string>> {
    return nodeInfo(this.setting.version, await this.setting.runtime.version());
  }

  #conditions(node: KubeNode | undefined): Condition[] {
    const problem = this.#problem();
    const healthy = (type: string, reason: string, message: string): Condition => ({ type, status: 'False', reason, message });
    const conditions: Condition[] = [
      healthy('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      healthy('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      healthy('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      problem === undefined
        ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
        : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: problem },
    ];
    return conditions.map((condition) => {
      const known = node === undefined ? undefined : conditionOf(node, condition.type);
      const same = known?.status === condition.status && known.message === condition.message;
      const since = known?.status === condition.status ? known.lastTransitionTime : undefined;
      return {
        ...condition,
        lastHeartbeatTime: (same ? known.lastHeartbeatTime : undefined) ?? timestamp(),
        lastTransitionTime: since ?? timestamp(),
      };
    });
  }

  /** Why the node is not ready, in the kubelet's words. */
  #problem(): string | undefined {
    if (this.#runtimeStatus === undefined)
      return `[container runtime is down, container runtime status check may not have completed yet: ${this.#runtimeError}]`;
    const failed = this.#runtimeStatus.conditions.filter(({ status }) => !status);
    if (failed.length === 0) return undefined;
    return failed
      .map(
        ({ type, reason, message }) =>
          `container runtime ${type === 'NetworkReady' ? 'network ' : ''}not ready: ${type}=false reason:${reason} message:${message}`,
      )
      .join(', ');
  }
}
