import { seconds, TerminalError } from '@windlass/foundation';
import { planObjectsAction, type ObjectRef, type OnCluster, type PlanObjectsInput } from '@windlass/lifecycle';
import { faultText, type ManifestFault } from '@windlass/vnf-package';
import { inOrder } from './apply-order.js';
import { ClusterRefusal } from './cluster-errors.js';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { isOwn, refText, type KubeObject } from './objects.js';
import { packagedObjects } from './packaged-manifests.js';
import type { PreparedObject } from './prepared-objects.js';

/** The most faults in one answer. Further faults show at the next request. */
const MOST_FAULTS = 20;

/** Reads the manifests, and has the cluster try each of their objects. Nothing was made yet, so a fault rolls the operation back. */
export const planObjects = clusterAction(planObjectsAction, {
  apply: async (context) => {
    const prepared = await packagedObjects(context);
    const faults: string[] = [];
    for (const [index, each] of prepared.entries()) {
      faults.push(...(await faultsOf(context, each, prepared)));
      context.run.progress(`${index + 1} of ${prepared.length} objects tried`);
      if (faults.length >= MOST_FAULTS) break;
    }
    if (faults.length > 0) throw new TerminalError('kubernetes.wrong-manifests', faults.join('; '));
    return { objects: inOrder(prepared.map(({ ref }) => ref)) };
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

async function faultsOf(
  context: ClusterContext<PlanObjectsInput>,
  each: PreparedObject,
  all: readonly PreparedObject[],
): Promise<string[]> {
  const { cluster, input } = context;
  const { ref, object } = each;
  const there = await cluster.find(ref);
  if (there !== undefined)
    return isOwn(input, there) ? [] : [faultText({ ...ref, field: 'metadata.name', reason: notOurs(ref) })];
  if (await waitsForOthers(context, ref, all)) return [];
  try {
    await cluster.apply(ref, object, { dryRun: true });
    return [];
  } catch (error) {
    if (!(error instanceof ClusterRefusal) || error.httpStatus === 401) throw error;
    if (hangsOnOthers(error.message, ref, all)) return [];
    return refusals(ref, error).map(faultText);
  }
}

/** Whether an object can't be tried, because its namespace or kind is made only by the manifests themselves. */
async function waitsForOthers(
  { cluster }: ClusterContext<PlanObjectsInput>,
  ref: ObjectRef,
  all: readonly PreparedObject[],
): Promise<boolean> {
  if ((await cluster.served(ref.apiVersion, ref.kind)) === undefined) return true;
  const own = all.find((other) => other.ref.kind === 'Namespace' && other.ref.name === ref.namespace);
  return own !== undefined && (await cluster.find(own.ref)) === undefined;
}

/** Whether a refusal of a trial depends on objects of the same manifests: they make what is missing, or a webhook supports no trial. */
const hangsOnOthers = (said: string, ref: ObjectRef, all: readonly PreparedObject[]): boolean =>
  said.includes('does not support dry run') ||
  (/not found|was found/.test(said) && all.some((other) => other.ref !== ref && said.includes(`"${other.ref.name}"`)));

function refusals(place: PreparedObject['ref'], { fields, message }: ClusterRefusal): ManifestFault[] {
  if (fields.length === 0) return [{ ...place, field: '', reason: message }];
  return fields.map(({ field, reason }) => ({ ...place, field, reason }));
}

const notOurs = (ref: ObjectRef): string =>
  `${refText(ref)} is there already, and is not this VNF's: take it away, then retry; or roll the operation back and use a package with another name or namespace`;

/** @throws TerminalError `kubernetes.not-ours`: nothing is done to it */
export function requireOwn(owner: OnCluster, ref: ObjectRef, there: KubeObject): void {
  if (!isOwn(owner, there)) throw new TerminalError('kubernetes.not-ours', notOurs(ref));
}
