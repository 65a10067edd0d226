import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { ObjectRef, OnCluster } from '@windlass/lifecycle';
import { VOLUME_LABEL } from '@windlass/mgmt-driver';

/** The instance that an object is of; PersistentVolumes of a cluster carry the same. */
export const VNF_LABEL = VOLUME_LABEL;
/** Which Windlass made it: several may share a cluster. */
export const DEPLOYMENT_LABEL = 'windlass/deployment';
/** The VDU that a pod is a VNFC of. */
export const VDU_LABEL = 'windlass/vdu';
/** The digest of what was applied, so that what is there is not applied again. */
export const DIGEST_ANNOTATION = 'windlass/applied';

/** Who writes the fields that we apply. */
export const FIELD_MANAGER = 'windlass';

/** An object as a cluster shows it. Of another shape is no object's answer. */
export interface KubeObject extends JsonObject {
  metadata: JsonObject & { name: string; uid: string };
}

export const isKubeObject = (value: unknown): value is KubeObject =>
  isJsonObject(value) && isJsonObject(value.metadata) && typeof value.metadata.name === 'string';

/** A member of members, where there is one. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}

export const textAt = (value: Json | undefined, ...path: string[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
};

export const numberAt = (value: Json | undefined, ...path: string[]): number => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
};

export const listAt = (value: Json | undefined, ...path: string[]): JsonObject[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
};

export const labelsOf = (object: JsonObject): JsonObject => {
  const labels = at(object, 'metadata', 'labels');
  return isJsonObject(labels) ? labels : {};
};

type Owner = Pick<OnCluster, 'vnfInstanceId' | 'deploymentTag'>;

/** What every object of an instance carries. */
export const ownLabels = ({ vnfInstanceId, deploymentTag }: Owner): Record<string, string> => ({
  [VNF_LABEL]: vnfInstanceId,
  [DEPLOYMENT_LABEL]: deploymentTag,
});

/** Whether an object is one of the instance's own. */
export const isOwn = (owner: Owner, object: JsonObject): boolean =>
  Object.entries(ownLabels(owner)).every(([name, value]) => labelsOf(object)[name] === value);

/** The selector of the same. */
export const ownSelector = (owner: Owner): string =>
  Object.entries(ownLabels(owner))
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** For people: `Deployment default/web`. */
export const refText = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === null ? '' : `${namespace}/`}${name}`;

/** Whether a pod is about to end, or has. */
export const isGoing = ({ metadata, status }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined || ['Failed', 'Succeeded'].includes(textAt(status, 'phase') ?? '');

export const isReadyPod = (pod: JsonObject): boolean =>
  listAt(pod, 'status', 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');
