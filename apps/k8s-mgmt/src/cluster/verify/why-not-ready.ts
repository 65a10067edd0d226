import { TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { Workload } from '../../network/workloads.js';
import { NO_IMAGE, STAYS_SO } from './image-refusals.js';
import type { KubeCluster, KubeNode } from '../kube-cluster.js';

/** How many nodes' pods are looked at: the same cause keeps the other nodes from being Ready. */
const LOOKED_AT = 3;

/** Characters of a cluster's words that are shown of a node. */
const SHOWN = 300;

/** The workloads that a node needs to become Ready. */
export interface AddonPods {
  workloads: readonly Workload[];
  /** Which registry or image a person changes where an image of theirs can't be pulled: part of an error's text. */
  images: string;
}

/**
 * What keeps nodes from being Ready, a line each: the kubelet's words, and those of pods of the cluster's network add-on that have not started there.
 * Users' pods say nothing of a node.
 * @throws TerminalError `cluster.image-refused` where a registry does not have the image that such a pod waits for, or refuses it
 */
export async function whyNotReady(
  cluster: Pick<KubeCluster, 'ask'>,
  nodes: readonly KubeNode[],
  addon: AddonPods,
): Promise<string[]> {
  const told = await Promise.all(nodes.slice(0, LOOKED_AT).map((node) => wordsOf(cluster, node, addon)));
  return [...told, ...nodes.slice(LOOKED_AT).map(({ name }) => name)];
}

async function wordsOf(cluster: Pick<KubeCluster, 'ask'>, { name, why }: KubeNode, addon: AddonPods): Promise<string> {
  const pods = (await pendingPods(cluster, name, addon.workloads)).flatMap(waitingOf);
  const refused = pods.find((words) => NO_IMAGE.test(words.reason) && STAYS_SO.test(words.text));
  if (refused !== undefined)
    throw new TerminalError(
      'cluster.image-refused',
      `${name} does not become Ready: ${refused.text}. Have the image where the nodes pull from, then retry; or roll the operation back and ask anew with another registry or image (${addon.images})`,
    );
  const words = [why.replaceAll(/\s+/g, ' '), ...pods.map(({ text }) => text)].filter((each) => each !== '').join('; ');
  return words === '' ? name : `${name} (${words.slice(0, SHOWN)})`;
}

/** The pending pods of the add-on's DaemonSets. Other pods in their namespaces are not the add-on's. */
async function pendingPods(cluster: Pick<KubeCluster, 'ask'>, node: string, workloads: readonly Workload[]): Promise<RawPod[]> {
  const sets = workloads.filter(({ kind }) => kind === 'DaemonSet');
  const isOf = ({ metadata: { namespace, ownerReferences = [] } }: RawPod): boolean =>
    ownerReferences.some(
      (owner) => owner.kind === 'DaemonSet' && sets.some((set) => set.namespace === namespace && set.name === owner.name),
    );
  const namespaces = [...new Set(sets.map(({ namespace }) => namespace))];
  const pending = `--field-selector=spec.nodeName=${node},status.phase=Pending`;
  const lists = await Promise.all(namespaces.map((namespace) => cluster.ask(cmd`-n ${namespace} get pods ${pending} -o json`)));
  return lists.flatMap((list) => (list?.items ?? []) as RawPod[]).filter(isOf);
}

type RawPod = {
  metadata: { name: string; namespace: string; ownerReferences?: { kind: string; name?: string }[] };
  status?: { initContainerStatuses?: ContainerStatus[]; containerStatuses?: ContainerStatus[] };
};

type ContainerStatus = {
  state?: { waiting?: { reason?: string; message?: string } };
};

/** What keeps a pod from starting: the reason of its first container that waits for something other than the containers before it. */
function waitingOf({ metadata: { namespace, name }, status }: RawPod): { reason: string; text: string }[] {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers
    .map(({ state }) => state?.waiting)
    .find((each) => each?.reason !== undefined && each.reason !== 'PodInitializing');
  if (waiting?.reason === undefined) return [];
  const words = [waiting.reason, waiting.message].filter((word) => word !== undefined && word !== '').join(': ');
  return [{ reason: waiting.reason, text: `pod ${namespace}/${name}: ${words.replaceAll(/\s+/g, ' ')}` }];
}
