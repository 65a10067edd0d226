import { InvariantError, toJsonObject, type JsonObject } from '@windlass/foundation';
import { outputOf, stepCalled, type PlanNode } from '@windlass/saga';
import { HEAL_BLOCK_STORAGE, type HealVnfRequestBody } from '@windlass/sol003';
import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { keepAbandonedHeal } from './abandoned-heal.js';
import { predictHeal } from './predict-heal.js';
import { healedVnfcs, healRequestOptions, type HealRequestOptions } from './heal-request.js';
import { publishHealAction } from './heal.saga.js';
import { replacedResources } from './healed-resources.js';
import { desiredOf } from '../../records/desired-state.js';
import type { OnKubernetes } from '../../operation/operation-definition.js';
import { requireKnownVnfcs } from '../../operation/instance-checks.js';
import { inlineAction, defineInlineAction, type InlineActions } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { levelsIn, levelsOf, notUndone } from '../../stack/stack-step.js';
import { instantiatedOf } from '../../records/instantiated.js';
import {
  applyObjectsAction,
  awaitObjectsAction,
  readObjectsAction,
  replacePodsAction,
  surveyObjectsAction,
  type FoundPod,
  type ReadObjectsOutput,
  type SurveyObjectsOutput,
} from '../../kubernetes/cluster-actions.js';
import type { ObjectRef } from '../../records/cluster-objects.js';
import { isSameObject, manifestsOf, onCluster, readingPods } from '../../kubernetes/cluster-steps.js';
import { paramsOf, refuseOfStacks } from '../../kubernetes/cnf-request.js';
import { asRead } from '../../kubernetes/read-vnf.js';

/** What a heal does on a cluster; journaled before anything is done. */
interface CnfHealPlan {
  /** Pods that are deleted. */
  pods: FoundPod[];
  /** Objects that are applied again, because no controller makes them. */
  apply: ObjectRef[];
  /** Objects that are waited for. */
  objects: ObjectRef[];
  /** The uids of the pods. */
  replaced: string[];
}

/** Chooses the pods that go and the objects that are made again, from what was found. */
export const planHealObjectsAction = defineInlineAction<{ found: SurveyObjectsOutput }, CnfHealPlan>('plan-heal-objects');
/** Puts what was read of the pods into the draft. */
export const keepHealedObjectsAction = defineInlineAction<{ read: ReadObjectsOutput }>('keep-healed-objects');

/** A heal on a cluster recreates only pods, and objects that are missing. */
const optionsOf = (request: JsonObject): HealRequestOptions => ({
  ...healRequestOptions(request),
  recreates: false,
  includesStorage: false,
});

const planned = stepCalled(planHealObjectsAction);

const objectsOf = ({ instance }: SagaContext): ObjectRef[] => instance.instantiated?.objects ?? [];

const surveyObjects = (context: SagaContext): PlanNode =>
  notUndone(
    onCluster(context, surveyObjectsAction, { objects: objectsOf(context), ...readingPods, scaleLevels: levelsOf(context) }),
  );

const planHeal = (): PlanNode => inlineStep(planHealObjectsAction, { found: outputOf(stepCalled(surveyObjectsAction)) });

const replacePods = (context: SagaContext): PlanNode =>
  notUndone(onCluster(context, replacePodsAction, { pods: outputOf(planned, ({ pods }) => pods) }));

/** Applies missing objects in the size that the VNF should have. */
function applyMissing(context: SagaContext): PlanNode {
  const { additionalParams = {}, instantiationLevelId, scaleStatus } = desiredOf(context.instance);
  const size = { instantiationLevelId, ...(scaleStatus === undefined ? {} : { scaleStatus }) };
  return notUndone(
    onCluster(context, applyObjectsAction, {
      manifests: manifestsOf(context, additionalParams as JsonObject, size),
      objects: objectsOf(context),
      only: outputOf(planned, ({ apply }) => apply),
    }),
  );
}

const awaitHealed = (context: SagaContext): PlanNode =>
  notUndone(
    onCluster(context, awaitObjectsAction, {
      objects: outputOf(planned, ({ objects }) => objects),
      replaced: outputOf(planned, ({ replaced }) => replaced),
    }),
  );

const readObjects = (context: SagaContext): PlanNode =>
  notUndone(
    onCluster(context, readObjectsAction, {
      objects: objectsOf(context),
      ...readingPods,
      scaleLevels: levelsIn(desiredOf(context.instance).scaleStatus),
    }),
  );

/** HEAL on a cluster: delete pods, apply again what no controller makes, wait until all is ready without the deleted pods, publish what runs. */
const saga = operationSaga('HEAL', (steps) =>
  steps
    .step(grant)
    .becomes('PROCESSING')
    .step(surveyObjects)
    .step(planHeal)
    .hook('heal', 'start')
    .step(replacePods)
    .pivot()
    .step(applyMissing)
    .step(awaitHealed)
    .step(readObjects)
    .step(() => inlineStep(keepHealedObjectsAction, { read: outputOf(stepCalled(readObjectsAction)) }))
    .hook('heal', 'end')
    .step(() => inlineStep(publishHealAction, {})),
);

/** HEAL of a VNF that consists of containers. */
export const healOnKubernetes: OnKubernetes<HealVnfRequestBody> = {
  plan: saga.plan.bind(saga),
  grant: ({ opOcc, instance: { instantiated } }) =>
    instantiated === null ? {} : replacedResources(instantiated.info, optionsOf(opOcc.request)),
  checkBeforeDrivers: ({ request, instance }) => {
    refuseOfStacks(paramsOf(toJsonObject(request)));
    requireKnownVnfcs(request.vnfcInstanceId ?? [], instance);
    return request;
  },
  checkAfterDrivers: ({ request }) =>
    paramsOf(toJsonObject(request))[HEAL_BLOCK_STORAGE] === true
      ? [`${HEAL_BLOCK_STORAGE} has no effect on a Kubernetes cluster: claims and their volumes stay, and the new pods use them`]
      : [],
  effect: ({ opOcc: { request }, instance }) => ({ heal: healedVnfcs(instantiatedOf(instance), optionsOf(request)) }),
  predictDrafts: predictHeal,
  afterFail: async (failed) => {
    await keepAbandonedHeal(failed);
    await beginRefresh(failed);
  },
};

/** The inline steps of HEAL that only VNFs on a cluster have. */
export const healCnfInline: InlineActions = {
  ...inlineAction(planHealObjectsAction, async ({ tx, store, context: { opOcc, instance }, input: { found } }) => {
    const before = instantiatedOf(instance);
    const options = optionsOf(opOcc.request);
    opOcc.draft.heal = healedVnfcs(before, options);
    opOcc.draft.instantiated = asRead(before, found);
    await store.saveOpOcc(tx.handle, opOcc);
    return healPlan(before.objects ?? [], options.vnfcIds, found);
  }),

  ...inlineAction(keepHealedObjectsAction, async ({ tx, store, context: { opOcc }, input: { read } }) => {
    const { instantiated } = opOcc.draft;
    if (instantiated === undefined) throw new InvariantError(`operation ${opOcc.id} has not looked at what it heals`);
    opOcc.draft.instantiated = asRead(instantiated, read);
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),
};

/**
 * Where a VNFC's pod is gone already, nothing is deleted: its controller makes a new pod, which is waited for. Pods that are objects of a manifest
 * have no controller, and are applied again. Missing objects are applied again whichever VNFCs are named, because their pods would never come
 * otherwise. Pure.
 */
function healPlan(objects: ObjectRef[], vnfcIds: readonly string[] | null, found: SurveyObjectsOutput): CnfHealPlan {
  const pods = found.pods.filter(({ vnfcId }) => vnfcIds?.includes(vnfcId) ?? true);
  const alone = pods.map(({ maker }) => maker).filter(({ kind }) => kind === 'Pod');
  const apply = objects.filter((ref) => [...found.missing, ...alone].some((each) => isSameObject(each, ref)));
  return { pods, apply, objects, replaced: pods.map(({ uid }) => uid) };
}
