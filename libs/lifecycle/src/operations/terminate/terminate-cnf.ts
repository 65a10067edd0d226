import type { PlanNode } from '@windlass/saga';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { awaitGraceStep } from '../../shared-steps/grant/grace.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { notUndone } from '../../stack/stack-step.js';
import { graceOf, publishTerminationAction } from './terminate.saga.js';
import { deleteObjectsAction } from '../../kubernetes/cluster-actions.js';
import { onCluster } from '../../kubernetes/cluster-steps.js';

/** TERMINATE on a cluster: let it drain, take it out of service, delete its objects in reverse. Past that there is no way back. */
export const terminateCnf = operationSaga('TERMINATE', (saga) =>
  saga
    .step(grant)
    .becomes('PROCESSING')
    .hook('terminate', 'start')
    .step((context) => awaitGraceStep(graceOf(context)))
    .step(deleteObjects)
    .pivot()
    .hook('terminate', 'end')
    .step(() => inlineStep(publishTerminationAction, {})),
);

const deleteObjects = (context: SagaContext): PlanNode =>
  notUndone(onCluster(context, deleteObjectsAction, { objects: context.instance.instantiated?.objects ?? [] }));
