import { deleteSharedImages } from '../shared-steps/clean-up/release-images.js';
import { dropReferencesAction, forgetSharedImagesAction, unregisterVimsAction } from './clean-up.saga.js';
import { internalAction } from './internal-saga.js';

/** Takes the VIM registrations of deleted clusters off the record. */
export const unregisterVims = internalAction<'CLEAN_UP'>()(unregisterVimsAction, async ({ tx, store, record }) => {
  for (const vimId of record.subject.vims) await store.unregisterVim(tx.handle, record.tenant, vimId);
  return undefined;
});

/** Drops the instance's references to shared images: what a failed operation left is removed, and the instance itself may be gone. */
export const dropReferences = internalAction<'CLEAN_UP'>()(dropReferencesAction, async ({ tx, store, record }) => {
  const { vnfInstanceId, tenant, subject } = record;
  const ids = vnfInstanceId === null ? [] : await store.dropImageReferences(tx.handle, vnfInstanceId);
  if (ids.length > 0) await deleteSharedImages(store, tx.handle, { tenant, vim: subject.vim, ids });
  return undefined;
});

/** Takes shared images off the record: they are deleted in Glance. */
export const forgetSharedImages = internalAction<'CLEAN_UP'>()(forgetSharedImagesAction, async ({ tx, store, record }) => {
  await store.forgetSharedImages(tx.handle, record.subject.sharedImages ?? []);
  return undefined;
});
