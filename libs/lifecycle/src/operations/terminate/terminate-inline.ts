import { grantWithGrace } from '../../shared-steps/grant/grace.js';
import { grantAction } from '../../shared-steps/grant/grant-actions.js';
import { graceOf, publishTerminationAction } from './terminate.saga.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { releaseImages } from '../../shared-steps/clean-up/release-images.js';
import { publish } from '../../operation/publish.js';

/** The inline steps of TERMINATE. */
export const terminateInline: InlineActions = {
  ...inlineAction(grantAction, (run) => grantWithGrace(run, graceOf(run.context))),

  ...inlineAction(publishTerminationAction, async ({ tx, store, context: { opOcc, instance } }) => {
    await releaseImages(store, tx.handle, instance, opOcc.draft.vim, opOcc.request);
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
