import { seconds } from '@windlass/foundation';
import { scaleObjectsAction, type Rescaled, type ScaleObjectsInput } from '@windlass/lifecycle';
import { untilReady } from './await-objects.action.js';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { isOwn } from './objects.js';
import { requireOwn } from './plan-objects.action.js';
import { wantedPods } from './readiness.js';

type Context = ClusterContext<ScaleObjectsInput>;

/** Sets how many pods workloads have; `await-objects` waits for them. */
export const scaleObjects = clusterAction(scaleObjectsAction, {
  check: async (context) => {
    for (const { ref, to } of context.input.workloads) {
      const there = await context.cluster.find(ref);
      if (there === undefined || !isOwn(context.input, there) || wantedPods(there) !== to) return false;
    }
    return true;
  },
  apply: async (context) => {
    const { workloads } = context.input;
    for (const [index, each] of workloads.entries()) {
      await setReplicas(context, each, each.to);
      context.run.progress(`${index + 1} of ${workloads.length} workloads set`);
    }
    return undefined;
  },
  undo: async (context) => {
    const back: Rescaled[] = [];
    for (const each of context.input.workloads) if (await setReplicas(context, each, each.from)) back.push(each);
    context.run.onlyWaits();
    await untilReady(
      context,
      back.map(({ ref }) => ref),
    );
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});

/**
 * Sets the number of pods. Returns false where the number was to be restored and the workload is gone. Any other change of a missing workload fails
 * with the cluster's words.
 */
async function setReplicas({ cluster, input }: Context, { ref }: Rescaled, replicas: number): Promise<boolean> {
  const there = await cluster.find(ref);
  if (there !== undefined) requireOwn(input, ref, there);
  const isBack = input.workloads.some((each) => each.ref === ref && each.to !== replicas);
  if (there === undefined && isBack) return false;
  if (there === undefined || wantedPods(there) !== replicas) await cluster.scale(ref, replicas);
  return true;
}
