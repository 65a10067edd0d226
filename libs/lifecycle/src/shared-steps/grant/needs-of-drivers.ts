import { sequence, sourced, stepOf, type PlanNode } from '@windlass/saga';
import { seeComputeHostsAction } from '../../stack/infra-actions.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { notUndone, VIM, vimLimit } from '../../stack/stack-step.js';

/**
 * The steps that end STARTING, then a check that the VIM has what the drivers need. Nothing is made before the check, so where it fails the operation
 * is rolled back.
 */
export function withNeeds(granted: PlanNode, context: SagaContext): PlanNode {
  if (context.opOcc.draft.needs?.includes('compute-host') !== true) return granted;
  const look = notUndone(stepOf(seeComputeHostsAction, { limits: vimLimit(context), input: { vim: sourced(VIM) } }));
  return sequence(...(granted.kind === 'sequence' ? granted.of : [granted]), look);
}
