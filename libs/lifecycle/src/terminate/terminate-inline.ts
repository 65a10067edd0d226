import { grantAction } from '../saga/inline-contracts.js';
import { publishTerminationAction } from './terminate.saga.js';
import { inlineAction, type InlineActions } from '../saga/inline-run.js';
import { publish } from '../saga/publish.js';

/** The inline steps of TERMINATE. */
export const terminateInline: InlineActions = {
  /** The local grant; from it a graceful termination's time runs. */
  ...inlineAction(grantAction, async ({ tx, store, context: { opOcc } }) => {
    const { terminationType, gracefulTerminationTimeout } = opOcc.request;
    if (terminationType !== 'GRACEFUL' || typeof gracefulTerminationTimeout !== 'number') return {};
    opOcc.draft.graceUntil = new Date(tx.now.getTime() + gracefulTerminationTimeout * 1_000).toISOString();
    await store.saveOpOcc(tx.handle, opOcc);
    return { graceUntil: opOcc.draft.graceUntil };
  }),

  ...inlineAction(publishTerminationAction, async ({ tx, store, context: { opOcc, instance } }) => {
    await publish(tx, store, opOcc, {
      ...instance,
      instantiationState: 'NOT_INSTANTIATED',
      instantiated: null,
      leftovers: null,
      desired: null,
    });
    return undefined;
  }),
};
