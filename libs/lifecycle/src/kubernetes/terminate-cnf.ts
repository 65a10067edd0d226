import type { PlanNode } from '@windlass/saga';
import { grant } from '../grant/grant-actions.js';
import { awaitGraceStep } from '../saga/grace.js';
import { inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
import { notUndone } from '../saga/stack-step.js';
import { graceOf, publishTerminationAction } from '../terminate/terminate.saga.js';
import { deleteObjectsAction } from './cluster-actions.js';
import { onCluster } from './cluster-steps.js';

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
