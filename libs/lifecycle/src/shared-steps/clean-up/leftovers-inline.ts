import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { releaseImages } from './release-images.js';
import { forgetLeftoversAction } from './removal-steps.js';

/** Inline steps of operations that have to do with leftovers; see ../../operation/inline-run.ts. */
export const leftoverActions: InlineActions = {
  /** Takes removed leftovers off the record, so that nothing removes them again, however the operation ends. */
  ...inlineAction(forgetLeftoversAction, async ({ tx, store, context: { opOcc, instance } }) => {
    await releaseImages(store, tx.handle, instance, opOcc.draft.leftoversVim, opOcc.request);
    const vims = instance.leftovers?.vims ?? [];
    for (const vimId of vims) await store.unregisterVim(tx.handle, instance.tenant, vimId);
    await store.saveInstance(tx.handle, {
      ...instance,
      leftovers: null,
      vimConnectionInfo: instance.vimConnectionInfo.filter(({ vimId }) => vimId === undefined || !vims.includes(vimId)),
    });
    return undefined;
  }),
};
