import { millis, seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { applyObjectsAction, type ApplyObjectsInput, type ObjectRef } from '@windlass/lifecycle';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { deleteAll } from './delete-objects.action.js';
import { DIGEST_ANNOTATION, isOwn, refText, textAt, type KubeObject } from './objects.js';
import { packagedObjects } from './packaged-manifests.js';
import { requireOwn } from './plan-objects.action.js';
import type { PreparedObject } from './prepared-objects.js';
import { readinessOf } from './readiness.js';

type Context = ClusterContext<ApplyObjectsInput>;

/** Kinds that have to be ready before objects that need them can be applied. */
const GROUND: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition']);

/** How long these may take. */
const GROUND_WITHIN = seconds(60);

/** Applies the objects of a VNF. An object that is as it should be is left alone. */
export const applyObjects = clusterAction(applyObjectsAction, {
  check: async (context) => {
    for (const { ref, digest } of await ordered(context)) {
      const there = await context.cluster.find(ref);
      if (there === undefined || !isOwn(context.input, there) || !isApplied(there, digest)) return false;
    }
    return true;
  },
  apply: async (context) => {
    const objects = await ordered(context);
    for (const [index, each] of objects.entries()) {
      await applyOne(context, each);
      context.run.progress(`${index + 1} of ${objects.length} objects applied`);
    }
    return undefined;
  },
  undo: (context) => deleteAll(context, context.input.only ?? context.input.objects),
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});

/** The objects in the planned order. @throws TerminalError `package.changed` where the plan had different objects */
async function ordered(context: Context): Promise<PreparedObject[]> {
  const { objects, only } = context.input;
  const prepared = new Map((await packagedObjects(context)).map((each) => [keyOf(each.ref), each]));
  if (prepared.size !== objects.length)
    throw new TerminalError('package.changed', `the manifests have ${prepared.size} objects; ${objects.length} were planned`);
  const wanted = only === undefined ? objects : objects.filter((each) => only.some((one) => keyOf(one) === keyOf(each)));
  return wanted.map((planned) => {
    const found = prepared.get(keyOf(planned));
    if (found === undefined) throw new TerminalError('package.changed', `the manifests have no ${refText(planned)} any more`);
    return found;
  });
}

const keyOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string => JSON.stringify([apiVersion, kind, namespace, name]);

const isApplied = (there: KubeObject, digest: string): boolean =>
  textAt(there, 'metadata', 'annotations', DIGEST_ANNOTATION) === digest && there.metadata.deletionTimestamp === undefined;

async function applyOne(context: Context, { ref, object, digest }: PreparedObject): Promise<void> {
  const { cluster, input, run } = context;
  const there = await cluster.find(ref);
  if (there !== undefined) requireOwn(input, ref, there);
  if (there?.metadata.deletionTimestamp !== undefined) await untilGone(context, ref, there.metadata.uid);
  if (there === undefined || !isApplied(there, digest)) await cluster.apply(ref, object);
  if (!GROUND.has(ref.kind)) return;
  await waitUntil(
    async (seen) => {
      const found = await cluster.find(ref);
      const lacking = found === undefined ? 'it is not there' : readinessOf(found);
      if (lacking !== undefined) seen(lacking);
      return lacking === undefined ? true : undefined;
    },
    { for: refText(ref), within: GROUND_WITHIN, every: millis(100), growth: 1.5, atMost: seconds(2), signal: run.signal },
  );
  cluster.forgetKinds();
}

async function untilGone({ cluster, run }: Context, ref: ObjectRef, uid: string): Promise<void> {
  await waitUntil(async () => ((await cluster.find(ref))?.metadata.uid === uid ? undefined : true), {
    for: `the end of an earlier ${refText(ref)}`,
    within: GROUND_WITHIN,
    every: millis(200),
    growth: 1.5,
    atMost: seconds(2),
    signal: run.signal,
  });
}
