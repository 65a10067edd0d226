import { outputOf, parallel, source, sourced, stepCalled, stepOf, type PlanNode, type Ref } from '@windlass/saga';
import { SOURCES, type Vnfc } from '@windlass/mgmt-driver';
import { OperateVnfRequestBody, validated, type OperateVnfRequest, type OperationalState } from '@windlass/sol003';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { readStackAction, type ReadStackOutput } from '../../stack/infra-actions.js';
import type { OpOccRecord } from '../../records/records.js';
import { awaitGraceStep } from '../../shared-steps/grant/grace.js';
import { defineInlineAction } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { levelsOf, notUndone, ofThisDeployment, onStack, reading, STACK, VIM, vimLimit } from '../../stack/stack-step.js';
import { surveyStackAction, type SurveyStackOutput } from '../../stack/resize-actions.js';
import { powerServerAction } from './operate-actions.js';

/** How each VNFC stands before anything is done to it, by its id: that is where a roll-back goes. */
export interface OperatePlan {
  was: Record<string, OperationalState>;
}

/** Looks how the VNFCs stand, and whether each has a server. */
export const planOperateAction = defineInlineAction<{ survey: SurveyStackOutput }, OperatePlan>('plan-operate');
export const keepOperatedAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-operated');
export const publishOperateAction = defineInlineAction('publish-operate');

/** Servers that are asked of one VNF at once; the limits of its VIM count beside. */
const SIDE_BY_SIDE = 8;

/** OPERATE: look how the servers stand, tell the driver, let it drain, start or stop each server, read the stack, tell the driver again. */
export const operate = operationSaga('OPERATE', (saga) =>
  saga
    .step(grant)
    .becomes('PROCESSING')
    .step(surveyStack)
    .step(() => inlineStep(planOperateAction, { survey: outputOf(stepCalled(surveyStackAction)) }))
    .hook('operate', 'start')
    .step((context) => awaitGraceStep(graceOf(context)))
    .step(powerServers)
    .step(readStack)
    .step(() => inlineStep(keepOperatedAction, { resources: outputOf(stepCalled(readStackAction)) }))
    .hook('operate', 'end')
    .step(() => inlineStep(publishOperateAction, {})),
);

/** An operation, or what is to become one. */
interface WithRequest {
  opOcc: Pick<OpOccRecord, 'request'>;
}

export const requestOf = ({ opOcc }: WithRequest): OperateVnfRequest => validated(OperateVnfRequestBody, opOcc.request);

/** Seconds before anything is stopped; undefined where the stop is not graceful. */
export function graceOf(context: Pick<SagaContext, 'opOcc'>): number | undefined {
  const { changeStateTo, stopType, gracefulStopTimeout } = requestOf(context);
  return changeStateTo === 'STOPPED' && stopType === 'GRACEFUL' ? gracefulStopTimeout : undefined;
}

/** The VNFCs that are started or stopped: those that are named, else all. */
export function operated(context: WithRequest & Pick<SagaContext, 'instance'>): Vnfc[] {
  const { vnfcInstanceId } = requestOf(context);
  const vnfcs = context.instance.instantiated?.vnfcs ?? [];
  return vnfcs.filter(({ id }) => vnfcInstanceId?.includes(id) ?? true);
}

const surveyStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, surveyStackAction, { stack: sourced(STACK), ...reading, scaleLevels: levelsOf(context) }));

function powerServers(context: SagaContext): PlanNode | undefined {
  const { changeStateTo } = requestOf(context);
  const vnfcs = operated(context);
  if (vnfcs.length === 0) return undefined;
  const steps = vnfcs.map(({ id, vduId, name }, index) =>
    stepOf(powerServerAction, {
      id: `${powerServerAction.name}:${vduId}-${vnfcs.slice(0, index).filter((each) => each.vduId === vduId).length + 1}`,
      target: name,
      limits: vimLimit(context),
      input: {
        vim: sourced(VIM),
        vnfInstanceId: context.instance.id,
        ...ofThisDeployment,
        stack: sourced(STACK),
        vnfcId: id,
        vduId,
        serverId: sourced(source<Vnfc>(SOURCES.vnfc(id)), (vnfc) => vnfc.resourceId),
        to: changeStateTo,
        was: outputOf(planOperateAction.name, `/was/${id}`) as Ref<OperationalState>,
      },
    }),
  );
  return parallel(steps, { limit: SIDE_BY_SIDE });
}

const readStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, readStackAction, { stack: sourced(STACK), ...reading, scaleLevels: levelsOf(context) }));
