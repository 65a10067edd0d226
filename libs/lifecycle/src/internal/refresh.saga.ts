import { isDeepStrictEqual } from 'node:util';
import { InvariantError, TransientError } from '@windlass/foundation';
import { outputOf, sequence, sourced, stepOf, type Plan } from '@windlass/saga';
import { releaseImages } from '../shared-steps/clean-up/release-images.js';
import { inspectStackAction, type InspectStackOutput } from '../stack/infra-actions.js';
import { inspectObjectsAction } from '../kubernetes/cluster-actions.js';
import { CLUSTER } from '../kubernetes/cluster-steps.js';
import { DEPLOYMENT_TAG } from '../stack/stack-step.js';
import type { InstantiatedState, VnfInstanceRecord } from '../records/records.js';
import { withKnownHostKeys } from '../records/known-host-keys.js';
import { defineInlineAction } from '../operation/inline-run.js';
import { limitOfVim } from '../records/limit-keys.js';
import { inlineStep } from '../operation/operation-saga.js';
import { internalAction, INTERNAL_VIM, type InternalSagaContext } from './internal-saga.js';

/** Publishes what was found. */
const publishRefreshAction = defineInlineAction<{ found: InspectStackOutput }>('publish-refresh');

const LOOKS = [inspectStackAction.name, inspectObjectsAction.name];

/** Code of the failure of a refresh while an operation works on its instance. The refresh looks again when the operation has ended. */
export const LOOK_IN_VAIN = 'vnf-instance.busy';

/** REFRESH: after an operation was marked as failed or rolled back, look at what is left of the instance, and publish it. */
export function refreshPlan({ record }: InternalSagaContext<'REFRESH'>): Plan {
  const { vim, stack, images, objects, flavour, request } = record.subject;
  const { choice } = vim;
  const { vnfInstanceId } = record;
  if (vnfInstanceId === null) throw new InvariantError(`the refresh ${record.id} is of no VNF instance`);
  const common = { limits: [limitOfVim(record.tenant, choice)], traits: { undoable: false } };
  const inspect =
    objects === undefined
      ? stepOf(inspectStackAction, {
          ...common,
          input: { vim: sourced(INTERNAL_VIM), vnfInstanceId, stack, images, flavour, request },
        })
      : stepOf(inspectObjectsAction, {
          ...common,
          input: { vim: sourced(CLUSTER), vnfInstanceId, deploymentTag: sourced(DEPLOYMENT_TAG), objects, flavour, request },
        });
  return { root: sequence(inspect, inlineStep(publishRefreshAction, { found: outputOf(inspect) })) };
}

/**
 * Publishes what was found, unless resources have been published since the refresh began (a modification publishes none). While an operation works on
 * the instance, or where one has worked on it since the look, the result is out of date: the saga waits, and the sweep begins it again.
 */
export const publishRefresh = internalAction<'REFRESH'>()(
  publishRefreshAction,
  async ({ tx, store, operations, record, input }) => {
    const instance = await store.lockInstance(tx.handle, record.vnfInstanceId ?? '');
    if (instance?.instantiated == null || !stillStands(record.subject, instance.instantiated)) {
      record.outcome = { published: false, reason: 'a newer publication stands' };
      return undefined;
    }
    const lookedAt = tx.steps.find(({ id }) => LOOKS.includes(id))?.startedAt ?? tx.now;
    if (await store.operatedSince(tx.handle, instance.id, lookedAt))
      throw new TransientError(LOOK_IN_VAIN, `an operation of VNF instance ${instance.id} has begun: looking again after it`);
    const endsVnf = operations.find(record.subject.operation)?.endsVnf === true;
    const after = refreshed(instance, instance.instantiated, input.found, endsVnf);
    await store.saveInstance(tx.handle, after);
    if (after.instantiated === null) await releaseImages(store, tx.handle, instance, instance.instantiated.vim);
    record.outcome = { published: true, stack: input.found.resources !== null };
    return undefined;
  },
);

const stillStands = (
  { stack, images, vnfcs, sharedCps }: InternalSagaContext<'REFRESH'>['record']['subject'],
  now: InstantiatedState,
): boolean => isDeepStrictEqual({ stack, images, vnfcs, sharedCps }, pick(now));

const pick = ({ stack, images, vnfcs, sharedCps }: InstantiatedState) => ({ stack, images, vnfcs, sharedCps });

function refreshed(
  instance: VnfInstanceRecord,
  before: InstantiatedState,
  { resources, images }: InspectStackOutput,
  endsVnf: boolean,
): VnfInstanceRecord {
  // Images keep their order, by which VDUs find theirs. The audit, not the refresh, reports an image that is gone.
  if (resources !== null) {
    const vnfcs = withKnownHostKeys(resources.vnfcs, { before: before.vnfcs });
    const { metadata } = before.info;
    const info = { ...(metadata === undefined ? {} : { metadata }), ...resources.info };
    return { ...instance, instantiated: { ...before, ...resources, info, vnfcs } };
  }
  if (endsVnf) return terminated(instance, before, images);
  // The stack is gone although no operation was to delete it. The instance stays INSTANTIATED, so that TERMINATE can clear what drivers keep of it.
  const { vnfVirtualLinkResourceInfo: _links, virtualStorageResourceInfo: _storages, ...info } = before.info;
  return {
    ...instance,
    instantiated: { ...before, info: { ...info, vnfState: 'STOPPED', vnfcResourceInfo: [] }, vnfcs: [], sharedCps: [], images },
  };
}

/** The termination has passed its pivot. What is left becomes leftovers, which DELETE's clean-up removes. */
function terminated(instance: VnfInstanceRecord, before: InstantiatedState, images: string[]): VnfInstanceRecord {
  const clusters = instance.vimConnectionInfo.filter(({ vimId, vimType }) => vimId !== undefined && !/openstack/i.test(vimType));
  const vims = clusters.flatMap(({ vimId }) => (vimId === undefined ? [] : [vimId]));
  return {
    ...instance,
    instantiationState: 'NOT_INSTANTIATED',
    instantiated: null,
    desired: null,
    leftovers: images.length === 0 && vims.length === 0 ? null : { stack: before.stack, vim: before.vim, images, vims },
  };
}
