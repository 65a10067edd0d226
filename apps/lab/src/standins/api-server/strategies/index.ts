import { R, type ResourceType } from '../../kube/resources.js';
import { configMapStrategy, namespaceStrategy, nodeStrategy, secretStrategy, serviceStrategy } from './core.js';
import {
  certificateRequestStrategy,
  customResourceDefinitionStrategy,
  leaseStrategy,
  priorityClassStrategy,
  roleBindingStrategy,
  roleStrategy,
} from './others.js';
import { podStrategy } from './pods.js';
import { persistentVolumeClaimStrategy, persistentVolumeStrategy, storageClassStrategy } from './storage.js';
import type { Strategy } from './strategy.js';
import { daemonSetStrategy, deploymentStrategy, disruptionBudgetStrategy, replicaSetStrategy } from './workloads.js';

const STRATEGIES = new Map<ResourceType, Strategy>([
  [R.certificatesigningrequests, certificateRequestStrategy],
  [R.clusterrolebindings, roleBindingStrategy],
  [R.clusterroles, roleStrategy],
  [R.configmaps, configMapStrategy],
  [R.customresourcedefinitions, customResourceDefinitionStrategy],
  [R.daemonsets, daemonSetStrategy],
  [R.deployments, deploymentStrategy],
  [R.leases, leaseStrategy],
  [R.namespaces, namespaceStrategy],
  [R.nodes, nodeStrategy],
  [R.persistentvolumeclaims, persistentVolumeClaimStrategy],
  [R.persistentvolumes, persistentVolumeStrategy],
  [R.poddisruptionbudgets, disruptionBudgetStrategy],
  [R.pods, podStrategy],
  [R.priorityclasses, priorityClassStrategy],
  [R.replicasets, replicaSetStrategy],
  [R.rolebindings, roleBindingStrategy],
  [R.roles, roleStrategy],
  [R.secrets, secretStrategy],
  [R.services, serviceStrategy],
  [R.storageclasses, storageClassStrategy],
]);

/** What is particular to writing objects of a resource; nothing for those that have no rules of their own. */
export const strategyOf = (type: ResourceType): Strategy => STRATEGIES.get(type) ?? {};
