import { PROCESSING } from '../../records/operation-state.js';
import { defineInlineAction } from '../../operation/inline-run.js';
import { askStep, inlineStep, operationSaga, type OperationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { CLUSTER_HOOK, clusterDriverOf, clusterTaskOf } from './cluster-request.js';

export const beginModificationAction = defineInlineAction('begin-modification');
export const publishModificationAction = defineInlineAction('publish-modification');

/** MODIFY_INFO: one transaction, between the driver's hooks. It needs no grant and no VIM; rolled back, nothing was changed. */
const information = operationSaga('MODIFY_INFO', (saga) =>
  saga
    .step(beginModification)
    .hook('modify_information', 'start')
    .hook('modify_information', 'end')
    .step(() => inlineStep(publishModificationAction, {})),
);

/** Of a cluster's certificates or snapshots: its driver is asked, and what it contributes is published (ADR 85). */
const cluster = operationSaga('MODIFY_INFO', (saga) =>
  saga
    .step(beginModification)
    .step(asksClusterDriver)
    .step(() => inlineStep(publishModificationAction, {})),
);

export const modify: OperationSaga = {
  operation: 'MODIFY_INFO',
  plan: (context) => (clusterTaskOf(context.opOcc.request) === undefined ? information : cluster).plan(context),
};

/** It begins in PROCESSING (SOL003 5.6.2.2), so that a failure here waits for a person as any other does. */
function beginModification() {
  const step = inlineStep(beginModificationAction, {});
  return { ...step, traits: { ...step.traits, milestone: PROCESSING } };
}

function asksClusterDriver(context: SagaContext) {
  const driver = clusterDriverOf(context);
  return driver === undefined ? undefined : askStep(CLUSTER_HOOK, driver);
}
