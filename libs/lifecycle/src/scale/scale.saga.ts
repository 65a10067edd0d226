import { outputOf, sourced, stepCalled, type PlanNode } from '@windlass/saga';
import { grant } from '../grant/grant-actions.js';
import { readStackAction, type ReadStackOutput } from '../model/infra-actions.js';
import { defineInlineAction } from '../saga/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
import { levelsOf, notUndone, ofThisDeployment, onStack, reading, STACK } from '../saga/stack-step.js';
import { resizeStackAction, surveyStackAction, type SurveyStackOutput } from './resize-actions.js';
import type { ScalePlan } from './scale-plan.js';

/** Chooses who leaves, and computes what Heat is asked for. */
export const planScaleAction = defineInlineAction<{ survey: SurveyStackOutput }, ScalePlan>('plan-scale');
export const keepScaledAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-scaled');
export const publishScaleAction = defineInlineAction('publish-scale');

/**
 * SCALE: look at what is there, choose who leaves, tell the driver, resize by one stack update, read it, tell the driver again.
 * A scale in can't be rolled back once its update may have begun: the first VM may be gone.
 */
export const scale = operationSaga('SCALE', (saga) =>
  saga
    .step(grant)
    .becomes('PROCESSING')
    .step(surveyStack)
    .step(() => inlineStep(planScaleAction, { survey: outputOf(stepCalled(surveyStackAction)) }))
    .hook('scale_start')
    .step(resizeStack)
    .step(readStack)
    .step(() => inlineStep(keepScaledAction, { resources: outputOf(stepCalled(readStackAction)) }))
    .hook('scale_end')
    .step(() => inlineStep(publishScaleAction, {})),
);

const scalePlan = stepCalled(planScaleAction);

const surveyStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, surveyStackAction, { stack: sourced(STACK), ...reading, scaleLevels: levelsOf(context) }));

const resizeStack = (context: SagaContext): PlanNode => ({
  ...onStack(context, resizeStackAction, {
    ...ofThisDeployment,
    stack: sourced(STACK),
    wanted: outputOf(scalePlan, (plan) => plan.wanted),
    earlier: outputOf(scalePlan, (plan) => plan.earlier),
  }),
  traits: context.opOcc.request.type === 'SCALE_IN' ? { pivot: true, undoable: false } : {},
});

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, readStackAction, {
      stack: sourced(STACK),
      ...reading,
      scaleLevels: outputOf(scalePlan, (plan) => plan.scaleLevels),
    }),
  );
