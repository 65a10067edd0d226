import { at, stringAt, type KubeObject } from '../kube/object.js';
import { R, type ResourceType } from '../kube/resources.js';
import { matchesQuery, parseFieldQuery, parseLabelQuery } from '../kube/selectors.js';
import { StatusError } from '../kube/status-error.js';

/** Fields that a `fieldSelector` may name, besides `metadata.name` and `metadata.namespace`. */
const FIELDS = new Map<ResourceType, readonly string[]>([
  [
    R.pods,
    [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
    ],
  ],
  [R.nodes, ['spec.unschedulable']],
  [R.secrets, ['type']],
  [R.namespaces, ['status.phase']],
  [
    R.events,
    [
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
  ],
  [R.certificatesigningrequests, ['spec.signerName']],
  [R.replicasets, ['status.replicas']],
]);

export type Filter = (object: KubeObject) => boolean;

/**
 * The filter in a list's or watch's query, and the name in its path.
 * @throws StatusError 400 for a selector that can't be parsed or names a field that is not selectable
 */
export function filterOf(type: ResourceType, query: URLSearchParams, name: string | undefined): Filter {
  const labels = parseLabelQuery(query.get('labelSelector') ?? '');
  const fields = parseFieldQuery(query.get('fieldSelector') ?? '');
  const known = ['metadata.name', ...(type.namespaced ? ['metadata.namespace'] : []), ...(FIELDS.get(type) ?? [])];
  for (const { path } of fields) {
    if (!known.includes(path)) throw StatusError.badRequest(`field label not supported: ${path}`);
  }
  return (object) =>
    (name === undefined || object.metadata.name === name) &&
    matchesQuery(labels, object.metadata.labels) &&
    fields.every(({ path, equal, value }) => (fieldOf(object, path) === value) === equal);
}

function fieldOf(object: KubeObject, path: string): string {
  const steps = path.split('.');
  const value = path === 'source' ? stringAt(object, 'source', 'component') : at(object, ...steps);
  // An unset boolean selects as false.
  if (value === undefined || value === null) return path === 'spec.unschedulable' || path === 'spec.hostNetwork' ? 'false' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
