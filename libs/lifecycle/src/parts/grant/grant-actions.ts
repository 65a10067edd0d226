import { defineAction, outputOf, sequence, stepCalled, stepOf, type PlanNode } from '@windlass/saga';
import { grantAction } from '../../operation/inline-contracts.js';
import { COORDINATOR_SERVICE, inlineStep, type SagaContext } from '../../operation/operation-saga.js';

/** What the NFVO said at once: its Grant (SOL003 9.5.2.3) as JSON text, or where it will be found. */
export type AskedGrant = { grant: string } | { location: string };

/** Asks the NFVO for the grant. `request` is a GrantRequest (SOL003 9.5.2.2) as JSON text: the very bytes that are sent, however often. */
export const requestGrantAction = defineAction<{ request: string }, AskedGrant>({
  service: COORDINATOR_SERVICE,
  name: 'request-grant',
  version: 1,
});

/** Looks for the grant where the NFVO said that it would be, until there is one or it is refused. */
export const awaitGrantAction = defineAction<{ asked: AskedGrant }, { grant: string }>({
  service: COORDINATOR_SERVICE,
  name: 'await-grant',
  version: 1,
});

/**
 * The steps of the grant: an NFVO's where one is asked, else the local one. Nothing is made before them, so whatever fails of them rolls the
 * operation back.
 */
export const grant = ({ grantRequest: request }: SagaContext): PlanNode =>
  request === undefined
    ? inlineStep(grantAction, {})
    : sequence(
        stepOf(requestGrantAction, { input: { request }, traits: { undoable: false } }),
        stepOf(awaitGrantAction, { input: { asked: outputOf(stepCalled(requestGrantAction)) }, traits: { undoable: false } }),
        inlineStep(grantAction, { asked: request, answer: outputOf(stepCalled(awaitGrantAction), (found) => found.grant) }),
      );
