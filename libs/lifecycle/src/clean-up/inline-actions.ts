import { inlineAction, type InlineActions } from '../saga/inline-run.js';
import { unregisterVimsAction } from './clean-up.saga.js';
import { internalAction } from './internal-saga.js';
import { forgetLeftoversAction } from './removal-steps.js';

/** Inline steps of operations that have to do with leftovers; see ../saga/inline-actions.ts. */
export const leftoverActions: InlineActions = {
  /** They are removed: whatever becomes of the operation, nothing of them is to be removed again. */
  ...inlineAction(forgetLeftoversAction, async ({ tx, store, context: { instance } }) => {
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

/** The clusters are gone; so are their registrations. */
export const unregisterVims = internalAction<'CLEAN_UP'>()(unregisterVimsAction, async ({ tx, store, record }) => {
  for (const vimId of record.subject.vims) await store.unregisterVim(tx.handle, record.tenant, vimId);
  return undefined;
});
