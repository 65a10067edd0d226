import { InvariantError } from '@windlass/foundation';
import { imageIdsOf } from '../../operations/instantiate/instantiate.saga.js';
import { sharesImages } from '../images/share-images.js';
import { takeGrant } from './take-grant.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../../records/known-host-keys.js';
import { grantAction, keepResourcesAction } from '../../operation/inline-contracts.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';

/** The grant, of an operation that has nothing else to begin with. */
export const grantInline: InlineActions = inlineAction(grantAction, async (run) => {
  await takeGrant(run);
  return {};
});

/** The inline step of operations that make a stack. */
export const keepResources: InlineActions = {
  /** The draft holds what is there from now on: hooks see it. */
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
