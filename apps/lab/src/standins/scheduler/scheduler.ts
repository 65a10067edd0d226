import { seconds } from '@windlass/foundation';
import type { Controller } from '../controllers/controller.js';
import type { ClusterView } from '../controllers/cluster-view.js';
import { conditionOf, type KubeNode, type Pod } from '../kube/kinds.js';
import { timestamp, toJson } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { matchesSelector } from '../kube/selectors.js';
import { isConflict, isNotFound } from '../kube/status-error.js';
import { fitsNodeLabels, repellingTaints } from '../kube/tolerations.js';

/**
 * Puts pods on nodes: taints, nodeSelector, required node affinity, required pod anti-affinity (and affinity) on a
 * topology key; among those that fit, the node with the fewest pods. Resources, spreading and preemption are not looked at.
 */
export const schedulerController: Controller = {
  name: 'default-scheduler',
  watches: [R.pods, R.nodes],
  async sync(view) {
    const waiting = view.all<Pod>(R.pods).filter((pod) => isWaiting(pod));
    let left = 0;
    for (const pod of waiting) if (!(await schedule(view, pod))) left++;
    return left === 0 ? undefined : seconds(5);
  },
};

const isWaiting = (pod: Pod): boolean =>
  (pod.spec.nodeName ?? '') === '' &&
  pod.metadata.deletionTimestamp === undefined &&
  (pod.spec.schedulerName ?? 'default-scheduler') === 'default-scheduler';

async function schedule(view: ClusterView, pod: Pod): Promise<boolean> {
  const nodes = view.all<KubeNode>(R.nodes);
  const pods = view.all<Pod>(R.pods);
  const reasons = new Map<string, number>();
  const fitting = nodes.filter((node) => {
    const why = unfit(pod, node, nodes, pods);
    if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
    return why === undefined;
  });
  const load = (node: KubeNode): number => pods.filter((other) => other.spec.nodeName === node.metadata.name).length;
  const [chosen] = [...fitting].sort((a, b) => load(a) - load(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  if (chosen === undefined) {
    const list = [...reasons]
      .map(([why, count]) => `${count} ${why}`)
      .sort()
      .join(', ');
    await reportUnschedulable(
      view,
      pod,
      `0/${nodes.length} nodes are available: ${list === '' ? 'no nodes available to schedule pods' : list}.`,
    );
    return false;
  }
  return bindTo(view, pod, chosen.metadata.name);
}

/** Why a pod can't run on a node, in the real scheduler's words; undefined if it can. */
function unfit(pod: Pod, node: KubeNode, nodes: readonly KubeNode[], pods: readonly Pod[]): string | undefined {
  const [taint] = repellingTaints(node, pod.spec.tolerations ?? [], ['NoSchedule', 'NoExecute']);
  if (taint !== undefined) {
    return taint.key === 'node.kubernetes.io/unschedulable'
      ? 'node(s) were unschedulable'
      : `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  }
  // The taint follows the cordon a moment later.
  if (node.spec?.unschedulable === true) return 'node(s) were unschedulable';
  if (!fitsNodeLabels(pod.spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const apart = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (apart.some((term) => inTopology(pod, term, node, nodes, pods))) return "node(s) didn't match pod anti-affinity rules";
  const together = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (!together.every((term) => inTopology(pod, term, node, nodes, pods))) return "node(s) didn't match pod affinity rules";
  return undefined;
}

type Term = NonNullable<
  NonNullable<NonNullable<Pod['spec']['affinity']>['podAntiAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>[number];

/** Whether a pod that the term selects runs in the same topology domain as the node. */
function inTopology(pod: Pod, term: Term, node: KubeNode, nodes: readonly KubeNode[], pods: readonly Pod[]): boolean {
  const domain = node.metadata.labels?.[term.topologyKey];
  if (domain === undefined) return false;
  const namespaces = term.namespaces ?? [pod.metadata.namespace ?? ''];
  const members = new Set(
    nodes.filter((other) => other.metadata.labels?.[term.topologyKey] === domain).map((other) => other.metadata.name),
  );
  return pods.some(
    (other) =>
      other.metadata.uid !== pod.metadata.uid &&
      members.has(other.spec.nodeName ?? '') &&
      namespaces.includes(other.metadata.namespace ?? '') &&
      matchesSelector(term.labelSelector, other.metadata.labels),
  );
}

async function bindTo(view: ClusterView, pod: Pod, node: string): Promise<boolean> {
  const { name, namespace = '' } = pod.metadata;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  try {
    await view.client.create(R.pods, binding, 'binding');
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return true;
    throw error;
  }
  // The next pod must see where this one went.
  await view.refresh(R.pods, pod);
  return true;
}

async function reportUnschedulable(view: ClusterView, pod: Pod, message: string): Promise<void> {
  const known = conditionOf(pod, 'PodScheduled');
  if (known?.status === 'False' && known.message === message) return;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: timestamp() };
  await view.patch(R.pods, pod, toJson({ status: { conditions: [...others, condition] } }), 'status');
}
