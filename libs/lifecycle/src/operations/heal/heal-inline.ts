import { InvariantError } from '@windlass/foundation';
import { stackInput } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import { heatRequest, operationTag, vdusInGroups, tagsOf } from '../../stack/heat-request.js';
import { imageRefsOf } from '../../stack/carried-images.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../../records/known-host-keys.js';
import { desiredOf, grantedInput } from '../../records/desired-state.js';
import { deploymentTag } from '../../records/names.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { computedIn, keptAs } from '../../shared-steps/user-data/script-step.js';
import { compareResourcesAction, prepareHealedStackAction, prepareHealUpdateAction, publishHealAction } from './heal.saga.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { publish } from '../../operation/publish.js';
import { stackDifferences } from './stack-differences.js';
import { healedVnfcs, healRequestOptions } from './heal-request.js';

/** The inline steps of HEAL. */
export const healInline: InlineActions = {
  /**
   * Compares the stack, as it was just read, with the instance's view. A difference was written late by an earlier operation, or by somebody else: it
   * is noted as a warning, and from here on the stack's content counts, for hooks too. Returns the stack's present identity.
   */
  ...inlineAction(compareResourcesAction, async ({ tx, store, context: { opOcc, instance }, input }) => {
    const { resources } = input.found;
    const before = instance.instantiated;
    if (before === null) throw new InvariantError(`VNF instance ${instance.id} is healed, but not instantiated`);
    if (resources !== null) {
      opOcc.warnings.push(...stackDifferences(before.info, resources.info));
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
    opOcc.draft.heal = healedVnfcs(now, healRequestOptions(opOcc.request));
    await store.saveOpOcc(tx.handle, opOcc);
    return { stack: now.stack };
  }),

  /** Computes the request for the whole VNF as it should be. */
  ...inlineAction(prepareHealedStackAction, async ({ tx, store, context }) => {
    const computed = keptAs(await computedIn(tx, context));
    const request = heatRequest({ ...context, ...computed, desired: desiredOf(context.instance) }, imageRefsOf(context));
    const tags = [...request.tags, deploymentTag(await store.deploymentId(tx.handle))];
    return { ...request, tags };
  }),

  /** Computes the update that the package's script wants for the VNF in its present size. The same update replaces the servers. */
  ...inlineAction(prepareHealUpdateAction, async ({ tx, store, context }) => {
    const {
      instance,
      opOcc,
      package: { model },
      flavourId,
    } = context;
    const computed = await computedIn(tx, context);
    if (computed === undefined) return { update: null };
    const desired = desiredOf(instance);
    const flavour = flavourOf(model, flavourId);
    const { info, vnfcs } = opOcc.draft.instantiated ?? instantiatedOf(instance);
    const update = stackInput({
      flavour,
      request: desired,
      scaleStatus: info.scaleStatus ?? [],
      vduCounts: Object.fromEntries(
        vdusInGroups(flavour).map((vduId) => [vduId, vnfcs.filter((vnfc) => vnfc.vduId === vduId).length]),
      ),
      computed,
      ...grantedInput(desired, imageRefsOf(context)),
    });
    const tags = tagsOf(instance.id, deploymentTag(await store.deploymentId(tx.handle)), operationTag(opOcc.id));
    return { update: { ...update, tags } };
  }),

  ...inlineAction(publishHealAction, async ({ tx, store, context }) => {
    const { opOcc, instance } = context;
    const published = opOcc.draft.instantiated;
    if (published === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    const desired = { ...desiredOf(instance), ...keptAs(await computedIn(tx, context)) };
    await publish(tx, store, opOcc, { ...instance, instantiated: published, leftovers: null, desired });
    return undefined;
  }),
};
