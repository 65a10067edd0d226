import { PROCESSING } from '../op-occ/operation-state.js';
import { defineInlineAction } from '../saga/inline-run.js';
import { inlineStep, operationSaga } from '../saga/operation-saga.js';

export const beginModificationAction = defineInlineAction('begin-modification');
export const publishModificationAction = defineInlineAction('publish-modification');

/** MODIFY_INFO: one transaction, between the driver's hooks. It needs no grant and no VIM; rolled back, nothing was changed. */
export const modify = operationSaga('MODIFY_INFO', (saga) =>
  saga
    .step(beginModification)
    .hook('modify_information', 'start')
    .hook('modify_information', 'end')
    .step(() => inlineStep(publishModificationAction, {})),
);

/** It begins in PROCESSING (SOL003 5.6.2.2), so that a failure here waits for a person as any other does. */
function beginModification() {
  const step = inlineStep(beginModificationAction, {});
  return { ...step, traits: { ...step.traits, milestone: PROCESSING } };
}
