import { TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { FLANNEL_NAMESPACE } from './flannel.js';
import { NO_IMAGE, STAYS_SO } from './image-refusals.js';
import type { KubeCluster, KubeNode } from './kube-cluster.js';

/** Nodes whose pods are looked at: what keeps the first ones keeps the others. */
const LOOKED_AT = 3;

/** Characters of a cluster's words that are shown of a node. */
const SHOWN = 300;

/**
 * What keeps nodes from being Ready, a line each, in the words of the kubelet and of the network add-on's pods that have not begun there. Pods of
 * users say nothing of a node.
 * @throws TerminalError `cluster.image-refused` where a registry has not the image that such a pod waits for, or gives it to nobody who asks so
 */
export async function whyNotReady(cluster: Pick<KubeCluster, 'ask'>, nodes: readonly KubeNode[]): Promise<string[]> {
  const told = await Promise.all(nodes.slice(0, LOOKED_AT).map((node) => wordsOf(cluster, node)));
  return [...told, ...nodes.slice(LOOKED_AT).map(({ name }) => name)];
}

async function wordsOf(cluster: Pick<KubeCluster, 'ask'>, { name, why }: KubeNode): Promise<string> {
  const pending = `--field-selector=spec.nodeName=${name},status.phase=Pending`;
  const list = await cluster.ask(cmd`-n ${FLANNEL_NAMESPACE} get pods ${pending} -o json`);
  const pods = ((list?.items ?? []) as RawPod[]).flatMap(waitingOf);
  const refused = pods.find((words) => NO_IMAGE.test(words.reason) && STAYS_SO.test(words.text));
  if (refused !== undefined)
    throw new TerminalError(
      'cluster.image-refused',
      `${name} does not become Ready: ${refused.text}. Have the image where the nodes pull from, or name another registry or image (image_repository of the request; KUBERNETES_IMAGE_REPOSITORY and FLANNEL_IMAGE of the service), then retry`,
    );
  const words = [why.replaceAll(/\s+/g, ' '), ...pods.map(({ text }) => text)].filter((each) => each !== '').join('; ');
  return words === '' ? name : `${name} (${words.slice(0, SHOWN)})`;
}

type RawPod = {
  metadata: { name: string; namespace: string };
  status?: { initContainerStatuses?: ContainerStatus[]; containerStatuses?: ContainerStatus[] };
};

type ContainerStatus = {
  state?: { waiting?: { reason?: string; message?: string } };
};

/** Of a pod, what its first container waits for that does not only wait for those before it. */
function waitingOf({ metadata: { namespace, name }, status }: RawPod): { reason: string; text: string }[] {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers
    .map(({ state }) => state?.waiting)
    .find((each) => each?.reason !== undefined && each.reason !== 'PodInitializing');
  if (waiting?.reason === undefined) return [];
  const words = [waiting.reason, waiting.message].filter((word) => word !== undefined && word !== '').join(': ');
  return [{ reason: waiting.reason, text: `pod ${namespace}/${name}: ${words.replaceAll(/\s+/g, ' ')}` }];
}
