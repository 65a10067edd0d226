import type { JsonObject } from '@windlass/foundation';

/** A DaemonSet or Deployment with the controllers' status of a complete rollout. */
export function rolledOut(object: JsonObject): JsonObject {
  const { replicas = 1 } = (object.spec ?? {}) as JsonObject;
  const counts: Readonly<Record<string, JsonObject>> = {
    DaemonSet: { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberReady: 1 },
    Deployment: { updatedReplicas: replicas, availableReplicas: replicas },
  };
  const status = counts[String(object.kind)];
  return status === undefined ? object : { ...object, status: { observedGeneration: 1, ...status } };
}

/** Running pods, as the API lists them. */
export const podsNamed = (names: readonly string[]) =>
  names.map((name) => ({ metadata: { namespace: 'default', name }, status: { phase: 'Running' } }));

interface ListedNode {
  ready: boolean;
  /** The kubelet's message. */
  words?: string;
  address: string;
  labels: Record<string, string>;
}

/** A node as the API lists it. */
export const rawNode = (
  name: string,
  { ready, words, address, labels }: ListedNode,
  { runtime, version }: { runtime: string; version: string },
) => ({
  metadata: { name, labels },
  status: {
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', ...(words === undefined ? {} : { message: words }) }],
    addresses: [{ type: 'InternalIP', address }],
    nodeInfo: { containerRuntimeVersion: runtime, kubeletVersion: version },
  },
});
