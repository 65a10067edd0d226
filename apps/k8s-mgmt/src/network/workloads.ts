import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { KubeCluster } from '../cluster/kube-cluster.js';

/** A workload that runs pods of a network add-on. */
export interface Workload {
  kind: 'DaemonSet' | 'Deployment';
  namespace: string;
  name: string;
}

/** A cluster's network add-on, as the cluster records it. */
export interface InstalledNetwork {
  /** Of all objects that were applied. */
  sha256: string;
  workloads: Workload[];
}

const RECORD = 'windlass-network-addon';

/** A network add-on has a handful. */
const MOST_WORKLOADS = 50;

/** Names of workloads, as Kubernetes allows them. They stand in command lines. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The workloads among these objects, whose pods are waited for. */
export function workloadsOf(objects: readonly JsonObject[]): Workload[] {
  return objects.flatMap(({ kind, metadata }) => workload(kind, metadata)).slice(0, MOST_WORKLOADS);
}

function workload(kind: Json | undefined, metadata: Json | undefined): Workload[] {
  if ((kind !== 'DaemonSet' && kind !== 'Deployment') || !isJsonObject(metadata)) return [];
  const { name, namespace = 'default' } = metadata;
  const isNamed = typeof name === 'string' && NAME.test(name) && typeof namespace === 'string' && NAME.test(namespace);
  return isNamed ? [{ kind, namespace, name }] : [];
}

export const digestOf = (objects: readonly JsonObject[]): string =>
  createHash('sha256').update(JSON.stringify(objects)).digest('hex');

/** The object that records the network add-on in the cluster. It is applied last. */
export const networkRecord = (objects: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: RECORD, namespace: 'kube-system', labels: { 'app.kubernetes.io/managed-by': 'windlass' } },
  data: { sha256: digestOf(objects), workloads: JSON.stringify(workloadsOf(objects)) },
});

/**
 * The cluster's record of its network add-on; undefined while the API does not answer, or where there is no record. Only valid names are taken from
 * it.
 * @param seen is told why there is no answer
 */
export async function installedNetwork(
  cluster: Pick<KubeCluster, 'ask'>,
  seen?: (why: string) => void,
): Promise<InstalledNetwork | undefined> {
  const data = (await cluster.ask(cmd`-n kube-system get configmap ${RECORD} -o json`, seen))?.data;
  if (!isJsonObject(data) || typeof data.sha256 !== 'string' || typeof data.workloads !== 'string') return undefined;
  const listed = parsed(data.workloads);
  return { sha256: data.sha256, workloads: listed.flatMap((each) => workload(each.kind, each)).slice(0, MOST_WORKLOADS) };
}

/** Parses the record. Any administrator of the cluster may have written it. */
function parsed(text: string): JsonObject[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  } catch {
    return [];
  }
}
