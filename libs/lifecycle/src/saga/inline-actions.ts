import { InvariantError, type Json } from '@windlass/foundation';
import { leftoverActions } from '../clean-up/inline-actions.js';
import { healInline } from '../heal/heal-inline.js';
import { heatRequest } from '../instantiate/heat-request.js';
import { imageIdsOf } from '../instantiate/instantiate.saga.js';
import { desiredBy, desiredOnce } from '../model/desired-state.js';
import { deploymentTag } from '../model/names.js';
import type { ReadStackOutput } from '../model/infra-actions.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../model/known-host-keys.js';
import { modifyInline } from '../modify/modify-inline.js';
import { scaleInline } from '../scale/scale-inline.js';
import type { InlineActions } from './inline-run.js';
import { publish } from './publish.js';

/** Steps that are one database transaction and nothing else; they run in the coordinator's own, so they happen exactly once. */
export const inlineActions: InlineActions = {
  ...leftoverActions,
  ...healInline,
  ...modifyInline,
  ...scaleInline,

  /** The local grant: everything that is asked for. */
  grant: async ({ tx, store, context: { opOcc } }) => {
    const { terminationType, gracefulTerminationTimeout } = opOcc.request;
    const waits =
      opOcc.operation === 'TERMINATE' && terminationType === 'GRACEFUL' && typeof gracefulTerminationTimeout === 'number';
    if (!waits) return {};
    opOcc.draft.graceUntil = new Date(tx.now.getTime() + gracefulTerminationTimeout * 1_000).toISOString();
    await store.saveOpOcc(tx.handle, opOcc);
    return { graceUntil: opOcc.draft.graceUntil };
  },

  'prepare-stack': async ({ tx, store, context }) => {
    const request = heatRequest({ ...context, desired: desiredBy(context.opOcc.request) }, await imageIdsOf(tx, context));
    const tags = [...request.tags, deploymentTag(await store.deploymentId(tx.handle))];
    return { ...request, tags } as unknown as Json;
  },

  /** The draft holds what is there from now on: hooks see it. */
  'keep-resources': async ({ tx, store, context, input }) => {
    const { stack, info, vnfcs, sharedCps } = input.resources as unknown as ReadStackOutput;
    const { vim } = context.opOcc.draft;
    if (vim === undefined) throw new InvariantError(`operation ${context.opOcc.id} has no VIM`);
    const images = Object.values(await imageIdsOf(tx, context));
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
  },

  'publish-instance': async ({ tx, store, context: { opOcc, instance } }) => {
    const published = opOcc.draft.instantiated;
    if (published === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    await publish(tx, store, opOcc, {
      ...instance,
      instantiationState: 'INSTANTIATED',
      instantiated: published,
      leftovers: null,
      desired: desiredOnce(opOcc.request, published.info),
    });
    return undefined;
  },

  'publish-termination': async ({ tx, store, context: { opOcc, instance } }) => {
    await publish(tx, store, opOcc, {
      ...instance,
      instantiationState: 'NOT_INSTANTIATED',
      instantiated: null,
      leftovers: null,
      desired: null,
    });
    return undefined;
  },
};
