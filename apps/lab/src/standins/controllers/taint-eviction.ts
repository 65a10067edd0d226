import { millis } from '@windlass/foundation';
import type { KubeNode, Pod, Taint, Toleration } from '../kube/kinds.js';
import { R } from '../kube/resources.js';
import { tolerates } from '../kube/tolerations.js';
import type { Controller } from './controller.js';

/** Deletes pods from nodes with a `NoExecute` taint when their toleration ends (five minutes after a node was lost, unless they say otherwise). */
export const taintEvictionController = (now: () => number = () => Date.now()): Controller => ({
  name: 'taint-eviction',
  watches: [R.nodes, R.pods],
  async sync(view) {
    const nodes = new Map(view.all<KubeNode>(R.nodes).map((node) => [node.metadata.name, node]));
    let next = Number.POSITIVE_INFINITY;
    for (const pod of view.all<Pod>(R.pods)) {
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      const taints = (nodes.get(pod.spec.nodeName ?? '')?.spec?.taints ?? []).filter((taint) => taint.effect === 'NoExecute');
      const due = Math.min(...taints.map((taint) => dueAt(taint, pod.spec.tolerations ?? [], now())));
      if (due <= now()) await view.delete(R.pods, pod);
      else next = Math.min(next, due - now());
    }
    return Number.isFinite(next) ? millis(next + 50) : undefined;
  },
});

/** When the pod must go because of this taint, in milliseconds since 1970; infinity if it may stay. */
function dueAt(taint: Taint, tolerations: readonly Toleration[], now: number): number {
  const matching = tolerations.filter((toleration) => tolerates(toleration, taint));
  if (matching.length === 0) return now;
  const limits = matching.map((toleration) => toleration.tolerationSeconds).filter((limit) => limit !== undefined);
  if (limits.length === 0) return Number.POSITIVE_INFINITY;
  return Date.parse(taint.timeAdded ?? new Date(now).toISOString()) + Math.min(...limits) * 1_000;
}
