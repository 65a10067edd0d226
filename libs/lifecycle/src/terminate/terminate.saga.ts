import { outputOf, parallel, sourced, type PlanNode } from '@windlass/saga';
import { INFRA_SERVICE } from '../model/infra-actions.js';
import { vnfTag } from '../model/names.js';
import { COORDINATOR_SERVICE, inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
import { notUndone, ofThisDeployment, onStack, vimLimit } from '../saga/stack-step.js';

/** TERMINATE: let it drain, take it out of service, delete what it consists of. Past the stack's deletion there is no way back. */
export const terminate = operationSaga('TERMINATE', (saga) =>
  saga
    .step(() => inlineStep('grant'))
    .becomes('PROCESSING')
    .hook('terminate_start')
    .step(awaitGrace)
    .step(deleteStack)
    .pivot()
    .step(deleteImages)
    .hook('terminate_end')
    .step(() => inlineStep('publish-termination')),
);

/** GRACEFUL with a time: nothing is deleted before it is over. The end is journaled, so that a crash doesn't begin it anew. */
function awaitGrace({ opOcc }: SagaContext): PlanNode | undefined {
  const { terminationType, gracefulTerminationTimeout } = opOcc.request;
  if (terminationType !== 'GRACEFUL' || typeof gracefulTerminationTimeout !== 'number' || gracefulTerminationTimeout <= 0)
    return undefined;
  return {
    kind: 'step',
    id: 'await-grace',
    action: 'await-grace',
    version: 1,
    service: COORDINATOR_SERVICE,
    input: { until: outputOf('grant', '/graceUntil') },
    traits: { undoable: false },
  };
}

const deleteStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, 'delete-stack', { ...ofThisDeployment, stack: sourced('stack') }));

function deleteImages(context: SagaContext): PlanNode | undefined {
  const images = context.instance.instantiated?.images ?? [];
  if (images.length === 0) return undefined;
  return parallel(
    images.map((imageId) => ({
      kind: 'step',
      id: `delete-image:${imageId}`,
      action: 'delete-image',
      version: 1,
      service: INFRA_SERVICE,
      limits: vimLimit(context),
      traits: { undoable: false },
      input: { vim: sourced('vim'), imageId, tags: [vnfTag(context.instance.id)] },
    })),
  );
}
