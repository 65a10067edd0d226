import { outputOf, sourced, stepCalled, type PlanNode } from '@windlass/saga';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { grantAndImages } from '../../shared-steps/grant/images-in-vim.js';
import { withNeeds } from '../../shared-steps/grant/needs-of-drivers.js';
import { readStackAction, type ReadStackOutput } from '../../stack/infra-actions.js';
import { defineInlineAction } from '../../operation/inline-run.js';
import { inlineStep, type OperationSagaBuilder, type SagaContext } from '../../operation/operation-saga.js';
import type { ScriptUse } from '../../operation/script-use.js';
import { levelsOf, notUndone, ofThisDeployment, onStack, reading, STACK } from '../../stack/stack-step.js';
import { withScript } from '../../shared-steps/user-data/script-step.js';
import { resizeStackAction, surveyStackAction, type SurveyStackOutput } from '../../stack/resize-actions.js';
import type { ScalePlan } from './scale-plan.js';

/** Chooses who leaves, and computes what Heat is asked for. */
export const planScaleAction = defineInlineAction<{ survey: SurveyStackOutput }, ScalePlan>('plan-scale');
export const keepScaledAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-scaled');
export const publishScaleAction = defineInlineAction('publish-scale');

/**
 * Any scaling: look at what is there, choose who leaves, tell the driver, resize by one stack update, read it, tell the driver again.
 * @param script how a script of the package takes part in it
 * @param takesAway whether VMs go: then it can't be rolled back once its update may have begun, for the first may be gone
 */
export const scalingSteps =
  (hooks: 'scale' | 'scale_to_level', takesAway: (context: SagaContext) => boolean, script?: ScriptUse) =>
  (saga: OperationSagaBuilder): OperationSagaBuilder =>
    saga
      .step((context) =>
        takesAway(context) ? withNeeds(withScript(grant(context), context, script), context) : grantAndImages(context, script),
      )
      .becomes('PROCESSING')
      .step(surveyStack)
      .step(() => inlineStep(planScaleAction, { survey: outputOf(stepCalled(surveyStackAction)) }))
      .hook(hooks, 'start')
      .step(resizeStack(takesAway))
      .step(readStack)
      .step(() => inlineStep(keepScaledAction, { resources: outputOf(stepCalled(readStackAction)) }))
      .hook(hooks, 'end')
      .step(() => inlineStep(publishScaleAction, {}));

const scalePlan = stepCalled(planScaleAction);

const surveyStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, surveyStackAction, { stack: sourced(STACK), ...reading, scaleLevels: levelsOf(context) }));

const resizeStack =
  (takesAway: (context: SagaContext) => boolean) =>
  (context: SagaContext): PlanNode => ({
    ...onStack(context, resizeStackAction, {
      ...ofThisDeployment,
      stack: sourced(STACK),
      wanted: outputOf(scalePlan, (plan) => plan.wanted),
      earlier: outputOf(scalePlan, (plan) => plan.earlier),
    }),
    traits: takesAway(context) ? { pivot: true, undoable: false } : {},
  });

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, readStackAction, {
      stack: sourced(STACK),
      ...reading,
      scaleLevels: outputOf(scalePlan, (plan) => plan.scaleLevels),
    }),
  );
