import { millis, type Duration } from '@windlass/foundation';
import { conditionOf, isReady, type Condition, type KubeNode, type Lease, type Pod, type Taint } from '../kube/kinds.js';
import { timestamp, toJson } from '../kube/object.js';
import { R } from '../kube/resources.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const MANAGED = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE]);

interface Observed {
  renewTime: string;
  /** Our own monotonic clock, so that clocks of nodes don't matter. */
  at: number;
}

/**
 * Declares nodes unreachable whose lease was not renewed for `grace`, taints them by their conditions, and marks the pods
 * of dead nodes as not ready. `grace` is `--node-monitor-grace-period`.
 */
export function nodeLifecycleController(grace: Duration, now: () => number = () => performance.now()): Controller {
  const seen = new Map<string, Observed>();
  return {
    name: 'node-lifecycle',
    watches: [R.nodes, R.leases, R.pods],
    async sync(view) {
      let next = Number.POSITIVE_INFINITY;
      for (const node of view.all<KubeNode>(R.nodes)) {
        const left = remaining(view, node, seen, grace, now());
        if (left <= 0) await declareUnknown(view, node);
        else next = Math.min(next, left);
        await reconcileTaints(view, (view.get(R.nodes, node.metadata.name) as KubeNode | undefined) ?? node);
      }
      return Number.isFinite(next) ? millis(Math.ceil(next) + 50) : undefined;
    },
  };
}

/** Milliseconds until the node counts as lost; a node without a lease counts from when we first saw it. */
function remaining(view: ClusterView, node: KubeNode, seen: Map<string, Observed>, grace: Duration, now: number): number {
  const lease = view.get(R.leases, node.metadata.name, 'kube-node-lease') as Lease | undefined;
  const renewTime = lease?.spec?.renewTime ?? node.metadata.uid ?? '';
  const known = seen.get(node.metadata.name);
  if (known?.renewTime !== renewTime) {
    seen.set(node.metadata.name, { renewTime, at: now });
    return grace;
  }
  return grace - (now - known.at);
}

async function declareUnknown(view: ClusterView, node: KubeNode): Promise<void> {
  if (conditionOf(node, 'Ready')?.status !== 'Unknown') {
    const time = timestamp();
    const conditions: Condition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastHeartbeatTime: conditionOf(node, type)?.lastHeartbeatTime ?? time,
      lastTransitionTime: time,
    }));
    await view.patch(R.nodes, node, toJson({ status: { conditions } }), 'status');
  }
  for (const pod of view.all<Pod>(R.pods)) {
    if (pod.spec.nodeName !== node.metadata.name || !isReady(pod)) continue;
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: timestamp() } : condition,
    );
    await view.patch(R.pods, pod, toJson({ status: { conditions } }), 'status');
  }
}

/** The taints that a node's condition asks for. */
function wantedTaints(node: KubeNode): Taint[] {
  const ready = conditionOf(node, 'Ready')?.status;
  const taints: Taint[] = [];
  if (ready === 'Unknown') taints.push({ key: UNREACHABLE, effect: 'NoSchedule' }, { key: UNREACHABLE, effect: 'NoExecute' });
  else if (ready !== 'True') {
    taints.push({ key: NOT_READY, effect: 'NoSchedule' });
    // Before its kubelet has said anything, there is nothing on it that would have to leave.
    if (ready === 'False') taints.push({ key: NOT_READY, effect: 'NoExecute' });
  }
  if (node.spec?.unschedulable === true) taints.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' });
  return taints;
}

async function reconcileTaints(view: ClusterView, node: KubeNode): Promise<void> {
  const present = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const name = (taint: Taint): string => `${taint.key}:${taint.effect}`;
  const managed = present.filter((taint) => MANAGED.has(taint.key));
  const same = managed.length === wanted.length && wanted.every((taint) => managed.some((other) => name(other) === name(taint)));
  if (same) return;
  const others = present.filter((taint) => !MANAGED.has(taint.key));
  const kept = wanted.map((taint) => managed.find((other) => name(other) === name(taint)) ?? dated(taint));
  await view.update(R.nodes, { ...node, spec: { ...node.spec, taints: [...others, ...kept] } });
}

const dated = (taint: Taint): Taint => ({ ...taint, timeAdded: timestamp() });
