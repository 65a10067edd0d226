import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { vduOfObject, type ManifestsInput, type ObjectRef, type OnCluster, type PlannedObject } from '@windlass/lifecycle';
import { identityOf, REPLICATED, type Manifest } from '@windlass/vnf-package';
import { createHash } from 'node:crypto';
import { DIGEST_ANNOTATION, listAt, ownLabels } from './objects.js';

/** The label that names the object for which a pod was made. */
export const OBJECT_LABEL = 'windlass/object';

/** An object as it is applied. */
export interface PreparedObject {
  ref: PlannedObject;
  object: JsonObject;
  digest: string;
}

type Owner = Pick<OnCluster, 'vnfInstanceId' | 'deploymentTag'>;

/**
 * The object of a manifest as it is applied: in its namespace, with our labels on it and on all that its controllers make of it, and with as many
 * pods as its VDU has. Pure. @param namespaced whether its kind lies in namespaces
 */
export function preparedObject(
  manifest: Manifest,
  namespaced: boolean,
  { namespace: standard, flavour, counts }: ManifestsInput,
  owner: Owner,
): PreparedObject {
  const { apiVersion, kind, name, namespace: own } = identityOf(manifest.object);
  const namespace = namespaced ? (own ?? standard) : null;
  const { file, document, item } = manifest;
  const vduId = vduOfObject(flavour.vdus, { kind, name });
  const ref = { apiVersion, kind, namespace, name, file, document, ...(item === undefined ? {} : { item }), vduId };
  const object = structuredClone(manifest.object);
  Reflect.deleteProperty(object, 'status');
  const labels = ownLabels(owner);
  const podLabels = vduId === null ? labels : { ...labels, [OBJECT_LABEL]: objectMark(ref) };
  const metadata = labelled(object, kind === 'Pod' ? podLabels : labels);
  if (namespace === null) Reflect.deleteProperty(metadata, 'namespace');
  else metadata.namespace = namespace;
  const spec = object.spec;
  if (isJsonObject(spec)) {
    const count = vduId === null ? undefined : counts[vduId];
    if (REPLICATED.has(kind) && count !== undefined) spec.replicas = count;
    if (isJsonObject(spec.template) && apiVersion !== '' && PODS_OF.has(kind)) labelled(spec.template, podLabels);
    for (const claim of kind === 'StatefulSet' ? listAt(object, 'spec', 'volumeClaimTemplates') : []) labelled(claim, labels);
    if (kind === 'CronJob' && isJsonObject(spec.jobTemplate)) labelJobs(spec.jobTemplate, labels);
  }
  const digest = createHash('sha256').update(JSON.stringify(object)).digest('hex');
  metadata.annotations = { ...(isJsonObject(metadata.annotations) ? metadata.annotations : {}), [DIGEST_ANNOTATION]: digest };
  return { ref, object, digest };
}

const PODS_OF: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicationController',
]);

function labelJobs(jobTemplate: JsonObject, labels: Record<string, string>): void {
  labelled(jobTemplate, labels);
  const { spec } = jobTemplate;
  if (isJsonObject(spec) && isJsonObject(spec.template)) labelled(spec.template, labels);
}

/** Its metadata, with these labels beside those that it has. */
function labelled(object: JsonObject, labels: Record<string, string>): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  metadata.labels = { ...(isJsonObject(metadata.labels) ? metadata.labels : {}), ...labels };
  object.metadata = metadata;
  return metadata;
}

/** Names may be longer than a label's value. */
export const objectMark = ({ kind, namespace, name }: ObjectRef): string =>
  createHash('sha256')
    .update([kind, namespace ?? '', name].join('/'))
    .digest('hex')
    .slice(0, 32);
