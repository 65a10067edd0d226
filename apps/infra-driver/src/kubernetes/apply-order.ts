import type { ObjectRef } from '@windlass/lifecycle';

/** Kinds by what needs what: those of a row are applied before those of the rows below it. */
const ROWS: readonly (readonly string[])[] = [
  ['Namespace'],
  ['CustomResourceDefinition'],
  ['PriorityClass', 'RuntimeClass', 'StorageClass', 'IngressClass', 'PodSecurityPolicy'],
  ['LimitRange', 'ResourceQuota', 'NetworkPolicy'],
  ['ServiceAccount', 'Secret', 'ConfigMap', 'PersistentVolume'],
  ['ClusterRole', 'Role'],
  ['ClusterRoleBinding', 'RoleBinding'],
  ['PersistentVolumeClaim'],
  ['Service', 'Endpoints', 'EndpointSlice'],
  ['PodDisruptionBudget'],
  ['Pod', 'ReplicationController', 'ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'],
  ['HorizontalPodAutoscaler', 'Ingress'],
];

/** The rank of kinds that no row has: custom kinds, and APIServices and webhooks, whose services must exist before them. */
const LAST = ROWS.length;

const RANKS = new Map(ROWS.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)));

const rankOf = ({ kind }: Pick<ObjectRef, 'kind'>): number => RANKS.get(kind) ?? LAST;

/** In the order in which they are applied; those of a row as they stand in the manifests. */
export const inOrder = <T extends Pick<ObjectRef, 'kind'>>(objects: readonly T[]): T[] =>
  objects.toSorted((one, other) => rankOf(one) - rankOf(other));

/** In the order in which they are deleted: rows together, the last ones first. */
export function rowsToDelete<T extends Pick<ObjectRef, 'kind'>>(objects: readonly T[]): T[][] {
  const rows = new Map<number, T[]>();
  for (const object of objects) rows.set(rankOf(object), [...(rows.get(rankOf(object)) ?? []), object]);
  return [...rows].sort(([one], [other]) => other - one).map(([, row]) => row.toReversed());
}
