import { TerminalError, type JsonObject } from '@windlass/foundation';
import type { HookedOperation } from '@windlass/mgmt-driver';
import { outputOf, stepCalled, type PlanNode } from '@windlass/saga';
import { flavourOf } from '@windlass/vnf-package';
import { beginRefresh, workedSteps } from '../../shared-steps/clean-up/after-failure.js';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { desiredOf } from '../../records/desired-state.js';
import type { LcmOperation } from '../../records/records.js';
import type { FailedOperation, OnKubernetes } from '../../operation/operation-definition.js';
import type { PredictDrafts } from '../../operation/predicted-drafts.js';
import { inlineAction, defineInlineAction, type InlineActions } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { levelsIn, levelsOf, notUndone } from '../../stack/stack-step.js';
import { leaveScaled } from './leave-scaled.js';
import { LEAVING_VNFCS } from './named-leavers.js';
import { comeAndGone } from './scale-inline.js';
import { scalingEffect } from './scaling-effect.js';
import { scaledResources } from './scaled-resources.js';
import { changesOf, type Scaling, type ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { publishScaleAction } from './scaling-steps.js';
import {
  readObjectsAction,
  scaleObjectsAction,
  surveyObjectsAction,
  type ReadObjectsOutput,
  type Rescaled,
  type SurveyObjectsOutput,
} from '../../kubernetes/cluster-actions.js';
import type { ObjectRef } from '../../records/cluster-objects.js';
import { awaitObjects, countsSaid, isSameObject, onCluster, readingPods } from '../../kubernetes/cluster-steps.js';
import { paramsOf, refuseOfStacks } from '../../kubernetes/cnf-request.js';
import { asRead } from '../../kubernetes/read-vnf.js';
import { workloadsOf } from '../../kubernetes/workloads.js';

/** What a scaling does on a cluster; journaled before anything is done. */
interface CnfScalePlan {
  workloads: Rescaled[];
  /** The same objects. */
  objects: ObjectRef[];
  /** Levels by aspect, once it is done. */
  scaleLevels: Record<string, number>;
}

/** Computes how many pods each workload shall have, from what was found. */
export const planScaleObjectsAction = defineInlineAction<{ found: SurveyObjectsOutput }, CnfScalePlan>('plan-scale-objects');
/** Puts what was read of the pods into the draft. */
export const keepScaledObjectsAction = defineInlineAction<{ read: ReadObjectsOutput }>('keep-scaled-objects');

type ScalingOf = (context: ScalingContext) => Scaling;

/** Keys that have no effect on a cluster, where controllers choose the pods that leave. */
const CHOICE_OF_LEAVERS = [LEAVING_VNFCS, 'is_reverse'];

const planned = stepCalled(planScaleObjectsAction);

const objectsOf = ({ instance }: Pick<SagaContext, 'instance'>): ObjectRef[] => instance.instantiated?.objects ?? [];

const surveyObjects = (context: SagaContext): PlanNode =>
  notUndone(
    onCluster(context, surveyObjectsAction, {
      objects: objectsOf(context),
      ...readingPods,
      scaleLevels: levelsOf(context),
    }),
  );

const planScale = (): PlanNode => inlineStep(planScaleObjectsAction, { found: outputOf(stepCalled(surveyObjectsAction)) });

const scaleObjects = (context: SagaContext): PlanNode =>
  onCluster(context, scaleObjectsAction, { workloads: outputOf(planned, ({ workloads }) => workloads) });

const readObjects = (context: SagaContext): PlanNode =>
  notUndone(
    onCluster(context, readObjectsAction, {
      objects: objectsOf(context),
      ...readingPods,
      scaleLevels: outputOf(planned, ({ scaleLevels }) => scaleLevels),
    }),
  );

/**
 * A scaling on a cluster: look at what is there, set the numbers of pods, wait for them, publish what runs. Scaling out and scaling in can be rolled
 * back.
 */
const sagaOf = (operation: LcmOperation, hooks: HookedOperation) =>
  operationSaga(operation, (saga) =>
    saga
      .step(grant)
      .becomes('PROCESSING')
      .step(surveyObjects)
      .step(planScale)
      .hook(hooks, 'start')
      .step(scaleObjects)
      .step((context) =>
        awaitObjects(
          context,
          outputOf(planned, ({ objects }) => objects),
        ),
      )
      .step(readObjects)
      .step(() => inlineStep(keepScaledObjectsAction, { read: outputOf(stepCalled(readObjectsAction)) }))
      .hook(hooks, 'end')
      .step(() => inlineStep(publishScaleAction, {})),
  );

/** A scaling of a VNF that consists of containers. @param scalingOf what the operation's request comes to */
export function scaleOnKubernetes<Body extends object>(
  operation: LcmOperation,
  hooks: HookedOperation,
  scalingOf: ScalingOf,
): OnKubernetes<Body> {
  const saga = sagaOf(operation, hooks);
  return {
    plan: saga.plan.bind(saga),
    grant: scaledResources(scalingOf),
    checkBeforeDrivers: ({ request, instance, package: record, flavourId }) => {
      const body = request as JsonObject;
      refuseOfStacks(paramsOf(body), CHOICE_OF_LEAVERS);
      scalingOf({ instance, package: record, flavourId, opOcc: { id: instance.id, request: body } });
      return request;
    },
    checkAfterDrivers: () => [],
    effect: scalingEffect(scalingOf),
    predictDrafts: predictPods(scalingOf),
    afterFail: leaveScaled,
    afterRollBack: readBack,
  };
}

/** After a roll-back the pods may not be the same as before. */
async function readBack(rolledBack: FailedOperation): Promise<void> {
  if (workedSteps(rolledBack.tx).some(({ action }) => action === scaleObjectsAction.name)) await beginRefresh(rolledBack);
}

/** The pods that leave are not known beforehand. */
const predictPods =
  (scalingOf: ScalingOf): PredictDrafts =>
  (context, { counts = {} }, placeholders) => {
    const now = instantiatedOf(context.instance);
    const flavour = flavourOf(context.package.model, context.flavourId);
    const changes = changesOf(context, scalingOf(context));
    const leaving = Object.entries(changes).flatMap(([vduId, change]) =>
      change < 0 ? now.vnfcs.filter((vnfc) => vnfc.vduId === vduId).slice(change) : [],
    );
    const staying = now.vnfcs.filter((vnfc) => !leaving.includes(vnfc));
    const vnfcs = placeholders.vnfcs(flavour, counts, staying);
    return {
      start: { instantiated: now, affectedVnfcs: [] },
      end: { instantiated: { ...now, vnfcs }, affectedVnfcs: comeAndGone(now.vnfcs, [], vnfcs) },
    };
  };

/** The inline steps of a scaling that only VNFs on a cluster have. @param scalingOf what the operation's request comes to */
export const scaleCnfInline = (scalingOf: ScalingOf): InlineActions => ({
  ...inlineAction(planScaleObjectsAction, async ({ tx, store, context, input: { found } }) => {
    const { opOcc, instance } = context;
    const scaling = scalingOf(context);
    const workloads = rescaled(context, scaling, found);
    opOcc.draft.instantiated = asRead(instantiatedOf(instance), found);
    await store.saveOpOcc(tx.handle, opOcc);
    return { workloads, objects: workloads.map(({ ref }) => ref), scaleLevels: levelsIn(scaling.scaleStatus) };
  }),

  ...inlineAction(keepScaledObjectsAction, async ({ tx, store, context: { opOcc, instance }, input: { read } }) => {
    const before = instantiatedOf(instance);
    opOcc.draft.affectedVnfcs = comeAndGone(before.vnfcs, [], read.vnfcs);
    opOcc.draft.instantiated = asRead(before, read);
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),
});

/** The workloads of the VDUs that the scaling is about, with the numbers that the VNFD has for them. @throws TerminalError `scale.no-workload` */
function rescaled(context: ScalingContext, scaling: Scaling, { workloads }: SurveyObjectsOutput): Rescaled[] {
  const flavour = flavourOf(context.package.model, context.flavourId);
  const instantiationLevelId = scaling.instantiationLevelId ?? desiredOf(context.instance).instantiationLevelId;
  const counts = countsSaid(flavour, { instantiationLevelId, scaleStatus: scaling.scaleStatus });
  return Object.keys(changesOf(context, scaling)).flatMap((vduId) => {
    const to = counts[vduId];
    if (to === undefined) return [];
    return workloadsOf(flavour, objectsOf(context), vduId).map((ref) => {
      const found = workloads.find((each) => isSameObject(each.ref, ref));
      if (found === undefined)
        throw new TerminalError(
          'scale.no-workload',
          `${ref.kind} ${ref.namespace ?? ''}/${ref.name} of the VDU ${vduId} is not on the cluster any more, or not this VNF's. Nothing was done: roll the operation back, and heal the whole VNF first`,
        );
      return { ref, from: found.replicas, to };
    });
  });
}
