import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { ClusterNode } from '@windlass/messaging';
import { textIn } from './kubernetes-api.js';

/** A cluster says what it likes: texts are cut, lists too. */
const MOST_LETTERS = 1_000;
const MOST_ADDRESSES = 20;

/** Labels of a master: today's, and the one that releases before 1.24 gave. */
const MASTER_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** A node of a list of the API, as it is told; nothing of what is none. @param item a Kubernetes `core/v1` Node */
export function nodeIn(item: Json): ClusterNode[] {
  const { metadata, spec, status } = objectOf(item);
  const { name, labels } = objectOf(metadata);
  if (textIn(name) === undefined) return [];
  const { nodeInfo, conditions, addresses } = objectOf(status);
  const { kubeletVersion, containerRuntimeVersion, osImage } = objectOf(nodeInfo);
  const condition = listOf(conditions)
    .map(objectOf)
    .find(({ type }) => type === 'Ready');
  const ready = condition?.status === 'True' || condition?.status === 'False' ? condition.status : 'Unknown';
  return [
    {
      name: cut(name),
      role: MASTER_LABELS.some((label) => objectOf(labels)[label] !== undefined) ? 'master' : 'worker',
      ready,
      reason: ready === 'True' ? null : cut(condition?.message ?? 'its kubelet has not said yet whether it is ready'),
      since: textIn(condition?.lastTransitionTime) === undefined ? null : cut(condition?.lastTransitionTime),
      schedulable: objectOf(spec).unschedulable !== true,
      version: cut(kubeletVersion),
      runtime: cut(containerRuntimeVersion),
      os: cut(osImage),
      addresses: listOf(addresses)
        .map((each) => objectOf(each))
        .filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
        .map(({ address }) => cut(address))
        .slice(0, MOST_ADDRESSES),
    },
  ];
}

const objectOf = (value: Json | undefined): Partial<JsonObject> => (isJsonObject(value) ? value : {});
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
/** Empty for what is no text. */
const cut = (value: Json | undefined): string => (textIn(value) ?? '').slice(0, MOST_LETTERS);
