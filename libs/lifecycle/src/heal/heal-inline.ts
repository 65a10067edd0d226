import { InvariantError } from '@windlass/foundation';
import { heatRequest } from '../instantiate/heat-request.js';
import { imageRefsOf } from '../instantiate/instantiate.saga.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../model/known-host-keys.js';
import { desiredOf } from '../model/desired-state.js';
import { deploymentTag } from '../model/names.js';
import type { InstantiatedState } from '../model/records.js';
import { compareResourcesAction, prepareHealedStackAction, publishHealAction } from './heal.saga.js';
import { inlineAction, type InlineActions } from '../saga/inline-run.js';
import { publish } from '../saga/publish.js';
import { lateWrites } from './late-writes.js';
import { healRequestOptions } from './heal-request.js';

/** The inline steps of HEAL. */
export const healInline: InlineActions = {
  /**
   * Holds the stack, as it was just read, against the instance's view. What differs was written late by an earlier operation, or
   * by somebody else: it is told, and from here on the stack is right, for hooks too. Gives the identity of the stack as it is.
   */
  ...inlineAction(compareResourcesAction, async ({ tx, store, context: { opOcc, instance }, input }) => {
    const { resources } = input.found;
    const before = instance.instantiated;
    if (before === null) throw new InvariantError(`VNF instance ${instance.id} is healed, but not instantiated`);
    if (resources !== null) {
      opOcc.warnings.push(...lateWrites(before.info, resources.info));
      const { stack, info, vnfcs, sharedCps } = resources;
      opOcc.draft.instantiated = {
        ...before,
        stack,
        info,
        vnfcs: withKnownHostKeys(vnfcs, hostKeysKnownBy({ opOcc, instance })),
        sharedCps,
      };
    }
    const now = opOcc.draft.instantiated ?? before;
    opOcc.draft.heal = healed(now, healRequestOptions(opOcc.request));
    await store.saveOpOcc(tx.handle, opOcc);
    return { stack: now.stack };
  }),

  /** The VNF as it should be. */
  ...inlineAction(prepareHealedStackAction, async ({ tx, store, context }) => {
    const request = heatRequest({ ...context, desired: desiredOf(context.instance) }, imageRefsOf(context));
    const tags = [...request.tags, deploymentTag(await store.deploymentId(tx.handle))];
    return { ...request, tags };
  }),

  ...inlineAction(publishHealAction, async ({ tx, store, context: { opOcc, instance } }) => {
    const published = opOcc.draft.instantiated;
    if (published === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    await publish(tx, store, opOcc, { ...instance, instantiated: published, leftovers: null });
    return undefined;
  }),
};

function healed({ vnfcs }: InstantiatedState, requested: ReturnType<typeof healRequestOptions>) {
  const of = vnfcs.filter(({ id }) => requested.vnfcIds?.includes(id) ?? true);
  return {
    vnfcIds: of.map(({ id }) => id),
    whole: requested.vnfcIds === null,
    recreates: requested.recreates,
    cause: requested.cause,
    earlierResourceIds: Object.fromEntries(of.map(({ id, resourceId }) => [id, resourceId])),
  };
}
