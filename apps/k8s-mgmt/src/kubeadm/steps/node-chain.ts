import type { PlanNode, StepNode, StepTraits } from '@windlass/saga';
import { joinControlPlane } from '../../cluster/masters/join-control-plane.action.js';
import { joinWorker } from '../../cluster/nodes/join-worker.action.js';
import { labelNode } from '../../cluster/nodes/label-node.action.js';
import { placementLabels, withoutLabel } from '../../cluster/nodes/placement-labels.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import { installKubernetes } from '../../node/install-kubernetes.action.js';
import { installRuntime } from '../../node/install-runtime.action.js';
import { prepareNode } from '../../node/prepare-node.action.js';
import { connected } from './connected-registries.js';
import type { ClusterSteps } from './node-steps.js';
import { StorageSteps } from './storage.js';

/** The steps have no undo: what they make is deleted with the VM, whether an instantiation, a scale out or a heal is rolled back. */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** Prepares a fresh VM to become a node, in the same way for every operation that makes VMs. */
export function prepared(steps: ClusterSteps, node: ClusterNode): PlanNode[] {
  const { proxy, runtime, kubernetes, first } = steps.terms;
  return [
    steps.step(prepareNode, node, { ...steps.on(node), ...proxy, ...first }, GOES_WITH_THE_VM),
    steps.step(installRuntime, node, { ...steps.on(node), ...proxy, ...runtime }, GOES_WITH_THE_VM),
    // Before the first pod may come.
    ...connected(steps, node),
    steps.step(installKubernetes, node, { ...steps.on(node), ...proxy, ...kubernetes }, GOES_WITH_THE_VM),
    ...new StorageSteps(steps).clients([node]),
  ];
}

/**
 * Makes a prepared VM a worker. Where the step can be undone, the undo of the operation deletes the VM.
 * @param after steps of the plan that the join waits for, beside its own
 */
export const joined = (
  steps: ClusterSteps,
  node: ClusterNode,
  masters: readonly ClusterNode[],
  traits: StepTraits,
  after: readonly StepNode[] = [],
): PlanNode => ({
  ...steps.step(
    joinWorker,
    node,
    { ...steps.on(node, masters), ...steps.terms.proxy, ...(traits.undoable === true ? { goesWithVm: true } : {}) },
    traits,
  ),
  ...(after.length === 0 ? {} : { after: after.map(({ id }) => id) }),
});

/** Labels a worker with its place, as far as that is known. A value that can't be a label's value is noted. */
export const labelled = (steps: ClusterSteps, node: ClusterNode, masters: readonly ClusterNode[]): PlanNode[] =>
  node.role === 'worker' && Object.keys(placementLabels(node.vnfc)).length + withoutLabel(node.address, node.vnfc).length > 0
    ? [steps.step(labelNode, node, steps.on(node, masters), { ...GOES_WITH_THE_VM, contributes: true })]
    : [];

/** A prepared VM becomes a further master. */
export const joinedAsMaster = (
  steps: ClusterSteps,
  node: ClusterNode,
  masters: readonly ClusterNode[],
  traits: StepTraits,
): PlanNode =>
  steps.step(
    joinControlPlane,
    node,
    {
      ...steps.on(node),
      ...steps.terms.proxy,
      masters: steps.masters(masters),
      ...(traits.undoable === true ? { goesWithVm: true } : {}),
    },
    traits,
  );
