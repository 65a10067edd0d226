import { InvariantError } from '@windlass/foundation';
import { defineInlineAction, inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../../records/known-host-keys.js';
import type { ReadStackOutput } from '../../stack/infra-actions.js';
import { sharesImages } from '../images/share-images.js';
import { imageIdsOf } from '../images/upload-images.js';

/** Keeps what was read of the stack in the operation's draft: hooks see it from then on. */
export const keepResourcesAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-resources');

/** The inline step of operations that make a stack. */
export const keepResources: InlineActions = {
  ...inlineAction(keepResourcesAction, async ({ tx, store, context, input }) => {
    const { stack, info, vnfcs, sharedCps } = input.resources;
    const { vim } = context.opOcc.draft;
    if (vim === undefined) throw new InvariantError(`operation ${context.opOcc.id} has no VIM`);
    const images =
      sharesImages(tx) || context.instance.instantiated?.images.length === 0 ? [] : Object.values(await imageIdsOf(tx, context));
    context.opOcc.draft.instantiated = {
      info,
      stack,
      vnfcs: withKnownHostKeys(vnfcs, hostKeysKnownBy(context)),
      sharedCps,
      vim,
      images,
    };
    await store.saveOpOcc(tx.handle, context.opOcc);
    return undefined;
  }),
};
