import type { JsonObject } from '@windlass/foundation';
import type { Namespace, Pod } from '../kube/kinds.js';
import { at, deepCopy, stringAt, timestamp, type KubeObject } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import type { ObjectPlace } from './object-place.js';

export interface DeleteOptions {
  gracePeriodSeconds: number | undefined;
  preconditions: { uid: string | undefined; resourceVersion: string | undefined };
}

/**
 * Reads `DeleteOptions` from the body and the query of a DELETE.
 * @throws StatusError 422 for `propagationPolicy: Orphan`, which the stand-in does not have
 */
export function deleteOptions(body: JsonObject | undefined, query: URLSearchParams): DeleteOptions {
  const grace = at(body, 'gracePeriodSeconds') ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = stringAt(body, 'propagationPolicy') ?? query.get('propagationPolicy') ?? 'Background';
  if (!['Background', 'Foreground'].includes(policy) || at(body, 'orphanDependents') === true) {
    throw new StatusError(422, 'Invalid', `propagationPolicy ${policy}: the windlass-lab stand-in deletes dependents always`);
  }
  return {
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    preconditions: {
      uid: stringAt(body, 'preconditions', 'uid'),
      resourceVersion: stringAt(body, 'preconditions', 'resourceVersion'),
    },
  };
}

/** The marked object if something must let go of it first; undefined if it goes at once. */
export function decideDeletion({ type, name }: ObjectPlace, current: KubeObject, options: DeleteOptions): KubeObject | undefined {
  const { uid, resourceVersion } = options.preconditions;
  if (uid !== undefined && uid !== current.metadata.uid) {
    throw StatusError.conflict(
      type,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion)
    throw StatusError.conflict(type, name);
  const grace = type === R.pods ? podGrace(current as Pod, options.gracePeriodSeconds) : 0;
  const held =
    (current.metadata.finalizers ?? []).length > 0 ||
    (type === R.namespaces && ((current as Namespace).spec?.finalizers ?? []).length > 0);
  if (grace === 0 && !held) return undefined;
  return marked(current, grace);
}

/** A pod that a kubelet runs gets time to end; one that no node has, or that has ended, does not. */
function podGrace(pod: Pod, asked: number | undefined): number {
  const ended = ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '' || ended) return 0;
  const grace = asked ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  const running = pod.metadata.deletionGracePeriodSeconds;
  return running === undefined ? grace : Math.min(grace, running);
}

function marked(current: KubeObject, grace: number): KubeObject {
  const object = deepCopy(current);
  if (object.metadata.deletionTimestamp === undefined || grace < (object.metadata.deletionGracePeriodSeconds ?? 0)) {
    object.metadata.deletionTimestamp = timestamp(new Date(Date.now() + grace * 1_000));
    object.metadata.deletionGracePeriodSeconds = grace;
  }
  if (object.kind === 'Namespace') (object as Namespace).status = { phase: 'Terminating' };
  return object;
}
