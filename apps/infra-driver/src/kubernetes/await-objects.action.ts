import { millis, seconds, TransientError, waitUntil } from '@windlass/foundation';
import { awaitObjectsAction, type ObjectRef, type OnCluster } from '@windlass/lifecycle';
import { REPLICATED } from '@windlass/vnf-package';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { isGoing, isReadyPod, numberAt, ownSelector, refText, textAt, type KubeObject } from './objects.js';
import { objectMark, OBJECT_LABEL } from './prepared-objects.js';
import { podTrouble, readinessOf, wantedPods } from './readiness.js';

type Context = Pick<ClusterContext<OnCluster>, 'cluster' | 'run' | 'settings' | 'input' | 'looks'>;

/** Waits until every object is ready by its kind, and says which is not. */
export const awaitObjects = clusterAction(awaitObjectsAction, {
  apply: async (context) => {
    context.run.onlyWaits();
    await untilReady(context, context.input.objects, context.input.replaced);
    return undefined;
  },
  retry: { attempts: 2, backoff: seconds(2), growth: 2 },
});

/**
 * Waits until the objects are ready by their kinds. @param replaced uids of pods without which they are
 * @throws TransientError `kubernetes.not-ready-in-time` with what lacks, and why pods do not run
 */
export async function untilReady(
  context: Context,
  objects: readonly ObjectRef[],
  replaced: readonly string[] = [],
): Promise<void> {
  const { run, settings, looks, input } = context;
  let last = '';
  try {
    await waitUntil(
      async (seen) => {
        const lacking = await looks.take(run, input.vim.authUrl, () => lackingOf(context, objects, replaced));
        const [first] = lacking;
        run.progress(`${objects.length - lacking.length} of ${objects.length} objects ready`);
        if (first === undefined) return true;
        seen((last = lacking.join('; ')));
        return undefined;
      },
      {
        for: 'the objects to be ready',
        within: settings.objectsWithin,
        every: millis(200),
        growth: 1.3,
        atMost: seconds(3),
        restFactor: 1,
        signal: run.signal,
      },
    );
  } catch (error) {
    if (!(error instanceof TransientError && error.code === 'wait.timeout')) throw error;
    const troubles = await podTroubles(context, objects);
    throw new TransientError('kubernetes.not-ready-in-time', [`not ready in time: ${last}`, ...troubles].join('; '));
  }
}

/** What each object lacks that is not ready. */
async function lackingOf(context: Context, objects: readonly ObjectRef[], replaced: readonly string[]): Promise<string[]> {
  const lacking: string[] = [];
  for (const ref of objects) {
    const found = await context.cluster.find(ref);
    const what =
      found === undefined
        ? 'it is not there'
        : (readinessOf(found) ?? (replaced.length === 0 ? undefined : await lackingOthers(context, ref, found, replaced)));
    if (what !== undefined) lacking.push(`${refText(ref)}: ${what}`);
  }
  return lacking;
}

/** A controller that has not noticed yet that pods are gone still reports that it is ready, so the deleted pods are looked for as well. */
async function lackingOthers(
  { cluster, input }: Context,
  ref: ObjectRef,
  found: KubeObject,
  replaced: readonly string[],
): Promise<string | undefined> {
  const wanted = REPLICATED.has(ref.kind)
    ? wantedPods(found)
    : ref.kind === 'DaemonSet'
      ? numberAt(found, 'status', 'desiredNumberScheduled')
      : 0;
  if (wanted === 0 || ref.namespace === null) return undefined;
  const selector = `${ownSelector(input)},${OBJECT_LABEL}=${objectMark(ref)}`;
  const pods = await cluster.list('v1', 'Pod', { namespace: ref.namespace, selector });
  const others = pods.filter((pod) => !replaced.includes(pod.metadata.uid) && !isGoing(pod) && isReadyPod(pod));
  return others.length >= wanted ? undefined : `${others.length} of ${wanted} pods have taken the place of those that went`;
}

/** Pods that were told of: the first of many say enough. */
const MOST_PODS = 3;

/** Why pods do not run: what a person looks for first. */
async function podTroubles({ cluster, input }: Context, objects: readonly ObjectRef[]): Promise<string[]> {
  const namespaces = namespacesOf(objects);
  const troubles: string[] = [];
  for (const namespace of namespaces) {
    for (const pod of await cluster.list('v1', 'Pod', { namespace, selector: ownSelector(input) })) {
      const trouble = podTrouble(pod);
      if (trouble !== undefined) troubles.push(`pod ${namespace}/${textAt(pod, 'metadata', 'name') ?? ''}: ${trouble}`);
    }
  }
  return troubles.slice(0, MOST_PODS);
}

/** The namespaces in which objects lie, those that are among them too. */
export const namespacesOf = (objects: readonly ObjectRef[]): string[] => [
  ...new Set(
    objects.flatMap(({ namespace, kind, name }) => [
      ...(namespace === null ? [] : [namespace]),
      ...(kind === 'Namespace' ? [name] : []),
    ]),
  ),
];
