import { millis, seconds, TransientError, waitUntil } from '@windlass/foundation';
import { deleteObjectsAction, type ObjectRef, type OnCluster } from '@windlass/lifecycle';
import { rowsToDelete } from './apply-order.js';
import { namespacesOf } from './await-objects.action.js';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { isOwn, ownSelector, refText, type KubeObject } from './objects.js';

type Context = Pick<ClusterContext<OnCluster>, 'cluster' | 'run' | 'settings' | 'input' | 'looks'>;

/** Kinds of objects that controllers make, and may leave behind when the owners are deleted. */
const LEFT_BY_CONTROLLERS: readonly (readonly [string, string])[] = [
  ['v1', 'Pod'],
  ['v1', 'PersistentVolumeClaim'],
];

/** Deletes the objects of a VNF in reverse, and waits until all are gone. */
export const deleteObjects = clusterAction(deleteObjectsAction, {
  apply: async (context) => {
    await deleteAll(context, context.input.objects);
    return undefined;
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});

/** An object to delete, known by its uid. */
interface Doomed {
  ref: ObjectRef;
  uid: string;
}

/**
 * Deletes row by row, because an object may need those that were applied before it. Objects without our labels are somebody else's, and left alone.
 */
export async function deleteAll(context: Context, objects: readonly ObjectRef[]): Promise<void> {
  const { run } = context;
  let gone = 0;
  const told = (more: number): void => run.progress(`${(gone += more)} of ${objects.length} objects deleted`);
  // A namespace ends with everything in it. So what controllers have left elsewhere is deleted before.
  const rows = rowsToDelete(objects);
  for (const row of rows) {
    if (row.some(({ kind }) => kind === 'Namespace')) await deleteLeft(context, objects);
    const doomed: Doomed[] = [];
    for (const ref of row) {
      const there = await context.cluster.find(ref);
      if (there !== undefined && isOwn(context.input, there)) doomed.push({ ref, uid: there.metadata.uid });
    }
    await deleteThose(context, doomed);
    told(row.length);
  }
  await deleteLeft(context, objects);
}

async function deleteLeft(context: Context, objects: readonly ObjectRef[]): Promise<void> {
  const { cluster, input } = context;
  for (const [apiVersion, kind] of LEFT_BY_CONTROLLERS) {
    const left: KubeObject[] = [];
    for (const namespace of namespacesOf(objects))
      left.push(...(await cluster.list(apiVersion, kind, { namespace, selector: ownSelector(input) })));
    await deleteThose(
      context,
      left.map(({ metadata: { name, uid, namespace } }) => ({
        ref: { apiVersion, kind, namespace: typeof namespace === 'string' ? namespace : null, name },
        uid,
      })),
    );
  }
}

/**
 * Deletes these very objects, and waits until they are gone.
 * @param asked called when all deletions are asked for, and only their end is waited for
 */
export async function deleteThose(
  { cluster, run, settings, looks, input }: Context,
  doomed: readonly Doomed[],
  asked = (): void => undefined,
): Promise<void> {
  for (const { ref, uid } of doomed) await cluster.delete(ref, uid);
  asked();
  for (const { ref, uid } of doomed) {
    const found = (): Promise<KubeObject | undefined> => looks.take(run, input.vim.authUrl, () => cluster.find(ref));
    await waitUntil(async () => ((await found())?.metadata.uid === uid ? undefined : true), {
      for: `the end of ${refText(ref)}`,
      within: settings.objectsWithin,
      every: millis(100),
      growth: 1.4,
      atMost: seconds(2),
      signal: run.signal,
    }).catch(async (error: unknown) => {
      if (!(error instanceof TransientError && error.code === 'wait.timeout')) throw error;
      throw new TransientError('kubernetes.not-gone', `${refText(ref)} is still there: ${await held(cluster, ref)}`);
    });
  }
}

/** The finalizers that hold an object which is being deleted. */
async function held(cluster: Context['cluster'], ref: ObjectRef): Promise<string> {
  const finalizers = (await cluster.find(ref))?.metadata.finalizers;
  return Array.isArray(finalizers) && finalizers.length > 0
    ? `held by its finalizers ${finalizers.map(String).join(', ')}`
    : 'the cluster has not ended it yet';
}
