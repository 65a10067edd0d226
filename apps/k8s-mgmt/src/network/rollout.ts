import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { KubeCluster } from '../cluster/kube-cluster.js';
import type { Workload } from './workloads.js';

type Cluster = Pick<KubeCluster, 'ask'>;

/** What a rollout is looked at for. */
export interface Rollout {
  workloads: readonly Workload[];
  /** Names of the nodes that the operation is about. */
  nodes: readonly string[];
  /** Whether the nodes are the whole cluster: then Deployments must run, too. */
  whole: boolean;
}

/**
 * What of a network add-on does not run yet: its DaemonSets on these nodes, and its Deployments where the nodes are the whole cluster. A dead node
 * outside these does not hold up new nodes. Workloads that users have deleted are not waited for.
 * @returns a line each
 */
export async function notRolledOut(cluster: Cluster, { workloads, nodes, whole }: Rollout): Promise<string[]> {
  const looked = workloads.filter(({ kind }) => whole || kind === 'DaemonSet');
  const lines = await Promise.all(looked.map((workload) => whyNot(cluster, workload, nodes)));
  return lines.filter((line) => line !== undefined);
}

async function whyNot(cluster: Cluster, workload: Workload, nodes: readonly string[]): Promise<string | undefined> {
  const { kind, namespace, name } = workload;
  const what = `${kind} ${namespace}/${name}`;
  let said = 'no answer';
  const found = await cluster.ask(cmd`-n ${namespace} get ${kind.toLowerCase()} ${name} -o json`, (why) => (said = why));
  if (found === undefined) return said.includes('(NotFound)') ? undefined : `${what}: the API does not answer: ${said}`;
  const { wanted, ready, current } = kind === 'DaemonSet' ? ofDaemonSet(found) : ofDeployment(found);
  if (current && ready >= wanted) return undefined;
  const all = `${what}: ${ready} of ${wanted} ready`;
  if (kind === 'Deployment' || !current) return all;
  const without = await nodesWithout(cluster, workload, nodes);
  return without.length === 0 ? undefined : `${all}, none on ${without.join(', ')}`;
}

interface Counts {
  wanted: number;
  ready: number;
  /** Whether the workload's controller has seen its latest change. */
  current: boolean;
}

const partsOf = ({ metadata, spec, status }: JsonObject): JsonObject[] =>
  [metadata, spec, status].map((part) => (isJsonObject(part) ? part : {}));

const number = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise);

function ofDaemonSet(object: JsonObject): Counts {
  const [metadata = {}, , status = {}] = partsOf(object);
  const wanted = number(status.desiredNumberScheduled);
  const isSeen = status.observedGeneration !== undefined && number(status.observedGeneration) >= number(metadata.generation);
  return {
    wanted,
    ready: Math.min(number(status.numberReady), number(status.updatedNumberScheduled)),
    current: isSeen,
  };
}

function ofDeployment(object: JsonObject): Counts {
  const [metadata = {}, spec = {}, status = {}] = partsOf(object);
  return {
    wanted: number(spec.replicas, 1),
    ready: Math.min(number(status.availableReplicas), number(status.updatedReplicas)),
    current: status.observedGeneration !== undefined && number(status.observedGeneration) >= number(metadata.generation),
  };
}

/** The nodes, of those that have a pod of the DaemonSet, that have no ready one. A node on which the DaemonSet is not to run has no pod at all. */
async function nodesWithout(cluster: Cluster, { namespace, name }: Workload, nodes: readonly string[]): Promise<string[]> {
  const without: string[] = [];
  for (const node of nodes) {
    const list = await cluster.ask(cmd`-n ${namespace} get pods ${`--field-selector=spec.nodeName=${node}`} -o json`);
    const pods = ((list?.items ?? []) as RawPod[]).filter((pod) => isOf(pod, name));
    const isReady = ({ status }: RawPod): boolean =>
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
    if (list === undefined || (pods.length > 0 && !pods.some(isReady))) without.push(node);
  }
  return without;
}

type RawPod = {
  metadata: { ownerReferences?: { kind: string; name?: string }[] };
  status?: { conditions?: { type: string; status: string }[] };
};

const isOf = ({ metadata: { ownerReferences = [] } }: RawPod, name: string): boolean =>
  ownerReferences.some((owner) => owner.kind === 'DaemonSet' && owner.name === name);
