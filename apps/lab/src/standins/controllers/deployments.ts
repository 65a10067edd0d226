import { isReady, type Condition, type Deployment, type Pod, type ReplicaSet } from '../kube/kinds.js';
import { controlledBy, controllerOf, deepCopy, sameJson, timestamp } from '../kube/object.js';
import { randomSuffix } from '../kube/names.js';
import { R } from '../kube/resources.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';
import { contentHash } from './template-hash.js';

const HASH = 'pod-template-hash';

/** Deployments own replica sets, one for each template; the new one is raised in full, then the old ones go to nothing. */
export const deploymentController: Controller = {
  name: 'deployment',
  watches: [R.deployments, R.replicasets],
  async sync(view) {
    for (const deployment of view.all<Deployment>(R.deployments)) {
      if (deployment.metadata.deletionTimestamp === undefined) await reconcileDeployment(view, deployment);
    }
    return undefined;
  },
};

/** Replica sets own pods. */
export const replicaSetController: Controller = {
  name: 'replicaset',
  watches: [R.replicasets, R.pods],
  async sync(view) {
    for (const set of view.all<ReplicaSet>(R.replicasets)) {
      if (set.metadata.deletionTimestamp === undefined) await reconcileReplicas(view, set);
    }
    return undefined;
  },
};

const available = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;

async function reconcileDeployment(view: ClusterView, deployment: Deployment): Promise<void> {
  const replicas = deployment.spec.replicas ?? 1;
  const hash = contentHash(deployment.spec.template);
  const sets = view.all<ReplicaSet>(R.replicasets).filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
  const old = sets.filter((set) => set.metadata.labels?.[HASH] !== hash);
  const recreate = deployment.spec.strategy?.type === 'Recreate';
  const oldPods = old.reduce((sum, set) => sum + (set.status?.replicas ?? 0), 0);
  let current = sets.find((set) => set.metadata.labels?.[HASH] === hash);
  if (current === undefined && !(recreate && oldPods > 0))
    current = await view.create(R.replicasets, replicaSetOf(deployment, hash, replicas));
  if (current !== undefined && current.spec.replicas !== replicas) current = await rescale(view, current, replicas);
  if (recreate || (current !== undefined && available(current) >= replicas)) {
    for (const set of old) if ((set.spec.replicas ?? 0) > 0) await rescale(view, set, 0);
  }
  await reportDeployment(view, deployment, current, old);
}

const rescale = (view: ClusterView, set: ReplicaSet, replicas: number): Promise<ReplicaSet> =>
  view.patch<ReplicaSet>(R.replicasets, set, { spec: { replicas } });

function replicaSetOf(deployment: Deployment, hash: string, replicas: number): ReplicaSet {
  const template = deepCopy(deployment.spec.template);
  const labels = { ...template.metadata?.labels, [HASH]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? 'default',
      labels,
      ownerReferences: [controlledBy(deployment)],
    },
    spec: {
      replicas,
      selector: { ...deployment.spec.selector, matchLabels: { ...deployment.spec.selector.matchLabels, [HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

async function reportDeployment(
  view: ClusterView,
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Promise<void> {
  const wanted = deployment.spec.replicas ?? 1;
  const all = [...(current === undefined ? [] : [current]), ...old];
  const sum = (member: string): number => all.reduce((total, set) => total + (set.status?.[member] ?? 0), 0);
  const ready = sum('availableReplicas');
  const isAvailable = ready >= wanted;
  const condition = (type: string, good: boolean, reason: string): Condition => {
    const status = good ? 'True' : 'False';
    const list = deployment.status?.conditions;
    const known = Array.isArray(list) ? list.find((entry) => entry.type === type) : undefined;
    return {
      type,
      status,
      reason,
      message: '',
      lastTransitionTime: known?.status === status ? (known.lastTransitionTime ?? timestamp()) : timestamp(),
    };
  };
  const status: NonNullable<Deployment['status']> = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
    conditions: [
      condition('Available', isAvailable, isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable'),
      condition('Progressing', true, isAvailable ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated'),
    ],
  };
  if (!sameJson(deployment.status, status)) await view.update(R.deployments, { ...deployment, status }, 'status');
}

async function reconcileReplicas(view: ClusterView, set: ReplicaSet): Promise<void> {
  const wanted = set.spec.replicas ?? 1;
  const owned = (): Pod[] =>
    view
      .all<Pod>(R.pods)
      .filter((pod) => controllerOf(pod)?.uid === set.metadata.uid && pod.metadata.deletionTimestamp === undefined);
  for (const pod of owned().filter(({ status }) => ['Failed', 'Succeeded'].includes(status?.phase ?? '')))
    await view.delete(R.pods, pod);
  const pods = owned().filter(({ status }) => !['Failed', 'Succeeded'].includes(status?.phase ?? ''));
  for (let missing = wanted - pods.length; missing > 0; missing--) await view.create(R.pods, podOf(set));
  // Those that do least go first: not assigned, then not ready, then the rest.
  const rank = (pod: Pod): number => (pod.spec.nodeName === undefined ? 0 : isReady(pod) ? 2 : 1);
  const surplus = [...pods].sort((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, pods.length - wanted));
  for (const pod of surplus) await view.delete(R.pods, pod);
  await reportReplicas(view, set, owned());
}

function podOf(set: ReplicaSet): Pod {
  const template = deepCopy(set.spec.template);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${set.metadata.name}-${randomSuffix()}`,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace ?? 'default',
      labels: template.metadata?.labels ?? {},
      annotations: template.metadata?.annotations ?? {},
      ownerReferences: [controlledBy(set)],
    },
    spec: template.spec,
  };
}

async function reportReplicas(view: ClusterView, set: ReplicaSet, pods: readonly Pod[]): Promise<void> {
  const ready = pods.filter(isReady).length;
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    fullyLabeledReplicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
  };
  if (!sameJson(set.status, status)) await view.update(R.replicasets, { ...set, status }, 'status');
}
