import { InvariantError, type JsonObject } from '@windlass/foundation';
import type { InternalVim } from '../../records/internal-operation.js';
import { internalVimOf } from './internal-vim.js';
import { deploymentTag } from '../../records/names.js';
import type { VimChoice, VnfInstanceRecord } from '../../records/records.js';
import type { LcmStore } from '../../ports.js';

/**
 * Drops the instance's references to shared images. In the same transaction begins a clean-up that deletes images to which no instance refers any
 * more.
 * @param choice the VIM that the images lie in
 * @param request what may describe that VIM beside the instance
 * @param untouched nothing of the images can have been made by the instance
 */
export async function releaseImages(
  store: LcmStore,
  handle: unknown,
  instance: VnfInstanceRecord,
  choice: VimChoice | undefined,
  request: JsonObject = {},
  untouched = false,
): Promise<void> {
  const ids = await store.dropImageReferences(handle, instance.id, untouched);
  if (ids.length === 0) return;
  if (choice === undefined) throw new InvariantError(`VNF instance ${instance.id} shared images in no VIM`);
  await deleteSharedImages(store, handle, {
    tenant: instance.tenant,
    vim: await internalVimOf(store, handle, instance, choice, request),
    ids,
  });
}

/** Begins the clean-up that deletes shared images. It belongs to no instance, so no operation waits for it. @returns its id */
export async function deleteSharedImages(
  store: LcmStore,
  handle: unknown,
  { tenant, vim, ids }: { tenant: string; vim: InternalVim; ids: readonly string[] },
): Promise<string> {
  const mustCarry = deploymentTag(await store.deploymentId(handle));
  return store.beginInternal(handle, {
    kind: 'CLEAN_UP',
    tenant,
    vnfInstanceId: null,
    vimId: vim.choice.vimId ?? null,
    subject: { vim, images: [], vims: [], sharedImages: [...ids], mustCarry },
  });
}
