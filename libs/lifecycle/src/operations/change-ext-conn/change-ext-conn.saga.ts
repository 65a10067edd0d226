import { outputOf, sourced, stepCalled, type PlanNode } from '@windlass/saga';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import type { DesiredConnectivity } from '../../records/desired-state.js';
import { readStackAction, type ReadStackOutput } from '../../stack/infra-actions.js';
import { defineInlineAction } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { levelsOf, notUndone, ofThisDeployment, onStack, reading, STACK } from '../../stack/stack-step.js';
import { withScript } from '../../shared-steps/user-data/script-step.js';
import { surveyStackAction, type StackUpdate, type SurveyStackOutput } from '../../stack/resize-actions.js';
import { changeExtConnScript } from './change-ext-conn-script.js';
import { reconnectStackAction } from './reconnect-actions.js';

/** What Heat is asked for, for the change and its undo; journaled before anything is done. */
export interface ConnectivityPlan {
  wanted: StackUpdate;
  earlier: StackUpdate;
  /** The connectivity by which the stack is read after the change. */
  connectivity: DesiredConnectivity;
}

export const planConnectivityAction = defineInlineAction<{ survey: SurveyStackOutput }, ConnectivityPlan>('plan-connectivity');
export const keepConnectedAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-connected');
export const publishConnectivityAction = defineInlineAction('publish-connectivity');

/** CHANGE_EXT_CONN: look at what is there, tell the driver, move the ports by one stack update, read it, tell the driver again. */
export const changeExtConn = operationSaga('CHANGE_EXT_CONN', (saga) =>
  saga
    .step((context) => withScript(grant(context), context, changeExtConnScript))
    .becomes('PROCESSING')
    .step(surveyStack)
    .step(() => inlineStep(planConnectivityAction, { survey: outputOf(stepCalled(surveyStackAction)) }))
    .hook('change_external_connectivity', 'start')
    .step(reconnectStack)
    .step(readStack)
    .step(() => inlineStep(keepConnectedAction, { resources: outputOf(stepCalled(readStackAction)) }))
    .hook('change_external_connectivity', 'end')
    .step(() => inlineStep(publishConnectivityAction, {})),
);

const plan = stepCalled(planConnectivityAction);

const surveyStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, surveyStackAction, { stack: sourced(STACK), ...reading, scaleLevels: levelsOf(context) }));

const reconnectStack = (context: SagaContext): PlanNode =>
  onStack(context, reconnectStackAction, {
    ...ofThisDeployment,
    stack: sourced(STACK),
    wanted: outputOf(plan, ({ wanted }) => wanted),
    earlier: outputOf(plan, ({ earlier }) => earlier),
  });

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, readStackAction, {
      stack: sourced(STACK),
      flavour: reading.flavour,
      request: outputOf(plan, ({ connectivity }) => connectivity),
      scaleLevels: levelsOf(context),
    }),
  );
