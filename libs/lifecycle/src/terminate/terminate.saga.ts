import { defineAction, outputOf, parallel, sourced, stepCalled, stepOf, type PlanNode } from '@windlass/saga';
import { deleteImageAction, deleteStackAction } from '../model/infra-actions.js';
import { vnfTag } from '../model/names.js';
import { grantAction } from '../saga/inline-contracts.js';
import { defineInlineAction } from '../saga/inline-run.js';
import { COORDINATOR_SERVICE, inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
import { notUndone, ofThisDeployment, onStack, STACK, VIM, vimLimit } from '../saga/stack-step.js';

/** Waits until a graceful termination's time is over, ISO 8601. */
export const awaitGraceAction = defineAction<{ until: string }>({
  service: COORDINATOR_SERVICE,
  name: 'await-grace',
  version: 1,
});
export const publishTerminationAction = defineInlineAction('publish-termination');

/** TERMINATE: let it drain, take it out of service, delete what it consists of. Past the stack's deletion there is no way back. */
export const terminate = operationSaga('TERMINATE', (saga) =>
  saga
    .step(() => inlineStep(grantAction, {}))
    .becomes('PROCESSING')
    .hook('terminate_start')
    .step(awaitGrace)
    .step(deleteStack)
    .pivot()
    .step(deleteImages)
    .hook('terminate_end')
    .step(() => inlineStep(publishTerminationAction, {})),
);

/** GRACEFUL with a time: nothing is deleted before it is over. The end is journaled, so that a crash doesn't begin it anew. */
function awaitGrace({ opOcc }: SagaContext): PlanNode | undefined {
  const { terminationType, gracefulTerminationTimeout } = opOcc.request;
  if (terminationType !== 'GRACEFUL' || typeof gracefulTerminationTimeout !== 'number' || gracefulTerminationTimeout <= 0)
    return undefined;
  const until = outputOf(stepCalled(grantAction), (grant) => grant.graceUntil);
  return stepOf(awaitGraceAction, { input: { until }, traits: { undoable: false } });
}

const deleteStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, deleteStackAction, { ...ofThisDeployment, stack: sourced(STACK) }));

function deleteImages(context: SagaContext): PlanNode | undefined {
  const images = context.instance.instantiated?.images ?? [];
  if (images.length === 0) return undefined;
  return parallel(
    images.map((imageId) =>
      stepOf(deleteImageAction, {
        id: `delete-image:${imageId}`,
        limits: vimLimit(context),
        traits: { undoable: false },
        input: { vim: sourced(VIM), imageId, tags: [vnfTag(context.instance.id)] },
      }),
    ),
  );
}
