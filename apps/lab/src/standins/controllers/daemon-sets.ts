import { isReady, type DaemonSet, type KubeNode, type Pod, type PodTemplate, type Toleration } from '../kube/kinds.js';
import { controlledBy, controllerOf, deepCopy, sameJson } from '../kube/object.js';
import { randomSuffix } from '../kube/names.js';
import { R } from '../kube/resources.js';
import { fitsNodeLabels, repellingTaints } from '../kube/tolerations.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';
import { contentHash } from './template-hash.js';

const HASH = 'controller-revision-hash';

/** What every daemon's pod tolerates, as https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ lists it. */
const TOLERATIONS: Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const NETWORK_UNAVAILABLE: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** One pod per node that fits. The pod is put on its node directly, where the real controller leaves that to the scheduler. */
export const daemonSetController: Controller = {
  name: 'daemonset',
  watches: [R.daemonsets, R.nodes, R.pods],
  async sync(view) {
    for (const daemon of view.all<DaemonSet>(R.daemonsets)) {
      if (daemon.metadata.deletionTimestamp === undefined) await reconcile(view, daemon);
    }
    return undefined;
  },
};

/** A DaemonSet's pods tolerate that their node is not ready: the network add-on is one of them. */
function tolerationsOf(daemon: DaemonSet): Toleration[] {
  const network = daemon.spec.template.spec.hostNetwork === true ? [NETWORK_UNAVAILABLE] : [];
  const notReady: Toleration = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' };
  return [...(daemon.spec.template.spec.tolerations ?? []), ...TOLERATIONS, notReady, ...network];
}

async function reconcile(view: ClusterView, daemon: DaemonSet): Promise<void> {
  const hash = contentHash(daemon.spec.template);
  const owned = view.all<Pod>(R.pods).filter((pod) => controllerOf(pod)?.uid === daemon.metadata.uid);
  const nodes = view.all<KubeNode>(R.nodes);
  const tolerations = tolerationsOf(daemon);
  const wanted = nodes.filter(
    (node) =>
      fitsNodeLabels(daemon.spec.template.spec, node) &&
      repellingTaints(node, tolerations, ['NoSchedule', 'NoExecute']).length === 0,
  );
  const wantedNames = new Set(wanted.map((node) => node.metadata.name));
  for (const pod of owned) {
    const outdated = pod.metadata.labels?.[HASH] !== hash && daemon.spec.updateStrategy?.type !== 'OnDelete';
    const unwanted = !wantedNames.has(pod.spec.nodeName ?? '') && nodes.some((node) => node.metadata.name === pod.spec.nodeName);
    const ended = ['Failed', 'Succeeded'].includes(pod.status?.phase ?? '');
    if (pod.metadata.deletionTimestamp === undefined && (outdated || unwanted || ended)) await view.delete(R.pods, pod);
  }
  const occupied = new Set(owned.map((pod) => pod.spec.nodeName));
  for (const node of wanted) {
    if (!occupied.has(node.metadata.name)) await view.create(R.pods, podFor(daemon, node, hash, tolerations));
  }
  await report(view, daemon, hash, wantedNames);
}

function podFor(daemon: DaemonSet, node: KubeNode, hash: string, tolerations: Toleration[]): Pod {
  const template = deepCopy<PodTemplate>(daemon.spec.template);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${daemon.metadata.name}-${randomSuffix()}`,
      generateName: `${daemon.metadata.name}-`,
      namespace: daemon.metadata.namespace ?? 'default',
      labels: { ...template.metadata?.labels, [HASH]: hash },
      annotations: template.metadata?.annotations ?? {},
      ownerReferences: [controlledBy(daemon)],
    },
    spec: { ...template.spec, nodeName: node.metadata.name, tolerations },
  };
}

async function report(view: ClusterView, daemon: DaemonSet, hash: string, wanted: ReadonlySet<string>): Promise<void> {
  const owned = view
    .all<Pod>(R.pods)
    .filter((pod) => controllerOf(pod)?.uid === daemon.metadata.uid && wanted.has(pod.spec.nodeName ?? ''));
  const ready = owned.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length;
  const status = {
    observedGeneration: daemon.metadata.generation ?? 0,
    desiredNumberScheduled: wanted.size,
    currentNumberScheduled: owned.length,
    updatedNumberScheduled: owned.filter((pod) => pod.metadata.labels?.[HASH] === hash).length,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: wanted.size - ready,
  };
  if (!sameJson(daemon.status, status)) await view.update(R.daemonsets, { ...daemon, status }, 'status');
}
