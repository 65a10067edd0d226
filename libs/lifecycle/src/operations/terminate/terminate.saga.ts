import { parallel, sourced, stepOf, type PlanNode } from '@windlass/saga';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { deleteImageAction, deleteStackAction } from '../../stack/infra-actions.js';
import { vnfTag } from '../../records/names.js';
import { awaitGraceStep } from '../../shared-steps/grant/grace.js';
import { defineInlineAction } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { notUndone, ofThisDeployment, onStack, STACK, VIM, vimLimit } from '../../stack/stack-step.js';

export const publishTerminationAction = defineInlineAction('publish-termination');

/** TERMINATE: let it drain, take it out of service, delete what it consists of. Past the stack's deletion there is no way back. */
export const terminate = operationSaga('TERMINATE', (saga) =>
  saga
    .step(grant)
    .becomes('PROCESSING')
    .hook('terminate', 'start')
    .step((context) => awaitGraceStep(graceOf(context)))
    .step(deleteStack)
    .pivot()
    .step(deleteImages)
    .hook('terminate', 'end')
    .step(() => inlineStep(publishTerminationAction, {})),
);

/** Seconds before anything is deleted; undefined where the termination is not graceful, or says no time. */
export function graceOf({ opOcc: { request } }: Pick<SagaContext, 'opOcc'>): number | undefined {
  const { terminationType, gracefulTerminationTimeout } = request;
  return terminationType === 'GRACEFUL' && typeof gracefulTerminationTimeout === 'number'
    ? gracefulTerminationTimeout
    : undefined;
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
