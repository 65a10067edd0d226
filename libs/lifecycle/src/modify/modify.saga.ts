import { PROCESSING } from '../op-occ/operation-state.js';
import { inlineStep, operationSaga } from '../saga/operation-saga.js';

/** MODIFY_INFO: one transaction, between the driver's hooks. It needs no grant and no VIM; rolled back, nothing was changed. */
export const modify = operationSaga('MODIFY_INFO', (saga) =>
  saga
    .step(beginModification)
    .hook('modify_information_start')
    .hook('modify_information_end')
    .step(() => inlineStep('publish-modification')),
);

/** It begins in PROCESSING (SOL003 5.6.2.2), so that a failure here waits for a person as any other does. */
function beginModification() {
  const step = inlineStep('begin-modification');
  return { ...step, traits: { ...step.traits, milestone: PROCESSING } };
}
