import { InvariantError } from '@windlass/foundation';
import { leftoverActions } from '../../shared-steps/clean-up/leftovers-inline.js';
import { desiredIn, desiredOnce } from '../../records/desired-state.js';
import { deploymentTag } from '../../records/names.js';
import { sharingInline } from '../../shared-steps/images/share-images.js';
import { grantInline } from '../../shared-steps/grant/grant-inline.js';
import { keepResources } from '../../shared-steps/resources/keep-resources.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { publish } from '../../operation/publish.js';
import { keepFlavorsAction } from '../../stack/flavors-by-size.js';
import { computedIn, keptAs } from '../../shared-steps/user-data/script-step.js';
import { heatRequest } from '../../stack/heat-request.js';
import { prepareStackAction, publishInstanceAction } from './instantiate.saga.js';
import { imageIdsOf } from '../../shared-steps/images/upload-images.js';

/** The inline steps of INSTANTIATE. */
export const instantiateInline: InlineActions = {
  ...grantInline,
  ...leftoverActions,
  ...keepResources,
  ...sharingInline,

  ...inlineAction(keepFlavorsAction, async ({ tx, store, context: { opOcc }, input }) => {
    const { granted } = opOcc.draft;
    opOcc.draft.granted = { ...granted, flavours: { ...granted?.flavours, ...input.found.flavors } };
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),

  ...inlineAction(prepareStackAction, async ({ tx, store, context }) => {
    const computed = keptAs(await computedIn(tx, context));
    const request = heatRequest({ ...context, ...computed, desired: desiredIn(context.opOcc) }, await imageIdsOf(tx, context));
    const tags = [...request.tags, deploymentTag(await store.deploymentId(tx.handle))];
    return { ...request, tags };
  }),

  ...inlineAction(publishInstanceAction, async ({ tx, store, context }) => {
    const { opOcc, instance } = context;
    const published = opOcc.draft.instantiated;
    if (published === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    await publish(tx, store, opOcc, {
      ...instance,
      instantiationState: 'INSTANTIATED',
      instantiated: published,
      leftovers: null,
      desired: { ...desiredIn(opOcc), ...desiredOnce(opOcc.request, published.info), ...keptAs(await computedIn(tx, context)) },
    });
    return undefined;
  }),
};
