import { InvariantError, type Json, type JsonObject } from '@windlass/foundation';
import type { JournalTransaction } from '@windlass/saga';
import { resourceChanges } from '@windlass/sol003';
import { leftoverActions } from '../clean-up/inline-actions.js';
import { heatRequest } from '../instantiate/heat-request.js';
import { imageIdsOf } from '../instantiate/instantiate.saga.js';
import { contributionIn, type InstantiatedState, type OpOccRecord, type VnfInstanceRecord } from '../model/records.js';
import { deploymentTag } from '../model/names.js';
import type { ReadStackOutput } from '../model/infra-actions.js';
import type { LcmStore } from '../ports.js';
import type { SagaContext } from './operation-saga.js';

export interface InlineRun {
  tx: JournalTransaction;
  store: LcmStore;
  context: SagaContext;
  input: JsonObject;
}

/** Steps that are one database transaction and nothing else; they run in the coordinator's own, so they happen exactly once. */
export const inlineActions: Readonly<Record<string, (run: InlineRun) => Promise<Json | undefined>>> = {
  ...leftoverActions,

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
    const request = heatRequest(context, await imageIdsOf(tx, context));
    const tags = [...request.tags, deploymentTag(await store.deploymentId(tx.handle))];
    return { ...request, tags } as unknown as Json;
  },

  /** The draft holds what is there from now on: hooks see it. */
  'keep-resources': async ({ tx, store, context, input }) => {
    const { stack, info, vnfcs, sharedCps } = input.resources as unknown as ReadStackOutput;
    const { vim } = context.opOcc.draft;
    if (vim === undefined) throw new InvariantError(`operation ${context.opOcc.id} has no VIM`);
    const images = Object.values(await imageIdsOf(tx, context));
    context.opOcc.draft.instantiated = { info, stack, vnfcs, sharedCps, vim, images };
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
      instantiateRequest: opOcc.request,
    });
    return undefined;
  },

  'publish-termination': async ({ tx, store, context: { opOcc, instance } }) => {
    await publish(tx, store, opOcc, {
      ...instance,
      instantiationState: 'NOT_INSTANTIATED',
      instantiated: null,
      leftovers: null,
      instantiateRequest: null,
    });
    return undefined;
  },
};

/** Writes the instance with what the steps contribute, by compare and set, and what the operation changed. */
async function publish(tx: JournalTransaction, store: LcmStore, opOcc: OpOccRecord, instance: VnfInstanceRecord): Promise<void> {
  const before = await store.instance(tx.handle, instance.id);
  await store.saveInstance(tx.handle, await withContributions(tx, instance));
  opOcc.resourceChanges = resourceChanges(infoOf(before.instantiated), infoOf(instance.instantiated)) ?? null;
  await store.saveOpOcc(tx.handle, opOcc);
}

const infoOf = (state: InstantiatedState | null) => state?.info;

async function withContributions(tx: JournalTransaction, instance: VnfInstanceRecord): Promise<VnfInstanceRecord> {
  let connections = instance.vimConnectionInfo;
  for (const step of tx.steps) {
    if (step.traits.contributes !== true || step.phase !== 'do' || step.state !== 'done') continue;
    const contribution = contributionIn(await tx.readPayload(step.id, 'output'))?.vimConnectionInfo;
    const removed = new Set(contribution?.removeVimIds ?? []);
    const added = contribution?.add ?? [];
    connections = connections.filter(({ vimId, id }) => !removed.has(vimId ?? '') && !added.some((each) => each.id === id));
    connections = [...connections, ...added];
  }
  return { ...instance, vimConnectionInfo: connections };
}
