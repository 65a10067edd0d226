import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { deleteSharedImages, releaseImages } from './release-images.js';
import { dropReferencesAction, forgetSharedImagesAction, unregisterVimsAction } from '../../internal/clean-up.saga.js';
import { internalAction } from '../../internal/internal-saga.js';
import { forgetLeftoversAction } from './removal-steps.js';

/** Inline steps of operations that have to do with leftovers; see ../../operation/inline-run.ts. */
export const leftoverActions: InlineActions = {
  /** They are removed: whatever becomes of the operation, nothing of them is to be removed again. */
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

/** The clusters are gone; so are their registrations. */
export const unregisterVims = internalAction<'CLEAN_UP'>()(unregisterVimsAction, async ({ tx, store, record }) => {
  for (const vimId of record.subject.vims) await store.unregisterVim(tx.handle, record.tenant, vimId);
  return undefined;
});

/** What a failed operation left is gone, and the instance, which may be gone too, needs its images no more. */
export const dropReferences = internalAction<'CLEAN_UP'>()(dropReferencesAction, async ({ tx, store, record }) => {
  const { vnfInstanceId, tenant, subject } = record;
  const ids = vnfInstanceId === null ? [] : await store.dropImageReferences(tx.handle, vnfInstanceId);
  if (ids.length > 0) await deleteSharedImages(store, tx.handle, { tenant, vim: subject.vim, ids });
  return undefined;
});

/** They are gone. */
export const forgetSharedImages = internalAction<'CLEAN_UP'>()(forgetSharedImagesAction, async ({ tx, store, record }) => {
  await store.forgetSharedImages(tx.handle, record.subject.sharedImages ?? []);
  return undefined;
});
