import { defineAction, outputOf, sequence, stepCalled, stepOf, type PlanNode } from '@windlass/saga';
import { defineInlineAction } from '../../operation/inline-run.js';
import { inlineStep, type SagaContext } from '../../operation/operation-saga.js';
import { COORDINATOR_SERVICE } from '../../records/services.js';

/** What an NFVO was asked and what it answered (SOL003 9.5.2.2, 9.5.2.3), as JSON texts. Neither where the grant is local, as in journals of older releases. */
export interface GrantInput {
  asked?: string;
  answer?: string;
}

/**
 * The grant: the NFVO's where it gave one, which is applied; else everything that is asked for. From it the time of a graceful end runs, which is
 * over at `graceUntil`, ISO 8601.
 */
export const grantAction = defineInlineAction<GrantInput, { graceUntil?: string }>('grant');

/** What the NFVO said at once: its Grant (SOL003 9.5.2.3) as JSON text, or where it will be found. */
export type AskedGrant = { grant: string } | { location: string };

/** Asks the NFVO for the grant. `request` is a GrantRequest (SOL003 9.5.2.2) as JSON text: each attempt sends exactly these bytes. */
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
