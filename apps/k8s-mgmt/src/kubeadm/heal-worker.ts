import type { HookContext } from '@windlass/mgmt-driver';
import type { PlanNode } from '@windlass/saga';
import { nodesOf } from '../cluster/request/nodes.js';
import type { MastersLeave } from './heal-master.js';
import type { Healing } from './healing.js';
import { verified } from './instantiate.js';
import { drained, nodesJoined, peersUpdated, versionRead } from './scale.js';
import { connectedAnew } from './steps/connected-registries.js';

/** Nodes leave the cluster before their VMs are replaced. @param masters what leaves with those of them that are masters */
export function nodesLeave({ steps, healed, survivors }: Healing, hook: HookContext, masters: MastersLeave): PlanNode[] {
  const { nodes, removals } = drained(steps, healed, survivors, hook);
  return [steps.names(survivors), ...masters.allowed, ...nodes, ...masters.gone, removals];
}

/** What came in their place joins. @param mastersListed what is done then with those of them that are masters */
export function nodesJoin(
  { steps, healed, survivors, shape }: Healing,
  hook: HookContext,
  mastersListed: readonly PlanNode[],
): PlanNode[] {
  const stayed = nodesOf(shape).filter(({ address }) => healed.every((node) => node.address !== address));
  return [
    steps.names(survivors),
    ...versionRead(steps, survivors, hook),
    ...connectedAnew(steps, stayed),
    // There is no undo past the replacement: the previous VM is gone.
    ...nodesJoined(steps, healed, survivors, hook, { undoable: false }),
    ...mastersListed,
    peersUpdated(steps, stayed, survivors),
    ...verified(steps, hook, shape.masters, healed),
  ];
}
