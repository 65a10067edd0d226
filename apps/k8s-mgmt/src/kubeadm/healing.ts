import type { HookContext } from '@windlass/mgmt-driver';
import { clusterOf, nodesAmong, type ClusterNode, type ClusterShape } from '../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { ClusterSteps } from './steps/node-steps.js';
import { StorageSteps, storageServersAmong } from './steps/storage.js';

/** The nodes that are healed, and those that stay. */
export interface Healing {
  shape: ClusterShape;
  steps: ClusterSteps;
  /** Masters and workers. */
  healed: ClusterNode[];
  /** The masters among them. */
  masters: ClusterNode[];
  /** Masters that stay: every question to the cluster goes through them. */
  survivors: ClusterNode[];
  /** Steps of the storage server, where the heal replaces it. */
  storage: StorageSteps | undefined;
}

/** Undefined where nothing of the cluster is healed. */
export function healingOf(hook: HookContext, settings: K8sMgmtSettings): Healing | undefined {
  const ids = hook.heal?.vnfcIds ?? [];
  const healed = nodesAmong(
    hook,
    hook.vnfcs.filter(({ id }) => ids.includes(id)),
  );
  const ofStorage = storageServersAmong(hook.vnfcs, hook.instantiateParams).some(({ id }) => ids.includes(id));
  if (healed.length === 0 && !ofStorage) return undefined;
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const isHealed = ({ address }: ClusterNode): boolean => healed.some((node) => node.address === address);
  return {
    shape,
    steps,
    healed,
    masters: shape.masters.filter(isHealed),
    survivors: shape.masters.filter((node) => !isHealed(node)),
    storage: ofStorage ? new StorageSteps(steps) : undefined,
  };
}
