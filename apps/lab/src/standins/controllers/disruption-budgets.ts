import { isReady, type Pod, type PodDisruptionBudget } from '../kube/kinds.js';
import { sameJson } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { matchesSelector } from '../kube/selectors.js';
import type { Controller } from './controller.js';

/** Counts for each budget how many pods may go now; the eviction subresource asks it. */
export const disruptionBudgetController: Controller = {
  name: 'disruption',
  watches: [R.poddisruptionbudgets, R.pods],
  async sync(view) {
    for (const budget of view.all<PodDisruptionBudget>(R.poddisruptionbudgets)) {
      const pods = view
        .all<Pod>(R.pods)
        .filter(
          (pod) =>
            pod.metadata.namespace === budget.metadata.namespace && matchesSelector(budget.spec?.selector, pod.metadata.labels),
        );
      const healthy = pods.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length;
      const desired = desiredHealthy(budget, pods.length);
      const status = {
        observedGeneration: budget.metadata.generation ?? 0,
        expectedPods: pods.length,
        currentHealthy: healthy,
        desiredHealthy: desired,
        disruptionsAllowed: Math.max(0, healthy - desired),
      };
      if (!sameJson(budget.status, status)) await view.update(R.poddisruptionbudgets, { ...budget, status }, 'status');
    }
    return undefined;
  },
};

function desiredHealthy({ spec }: PodDisruptionBudget, expected: number): number {
  if (spec?.maxUnavailable !== undefined) return Math.max(0, expected - count(spec.maxUnavailable, expected));
  return count(spec?.minAvailable ?? 1, expected);
}

/** A number, or a percentage of the expected pods rounded up. */
const count = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseFloat(value) / 100) * of);
