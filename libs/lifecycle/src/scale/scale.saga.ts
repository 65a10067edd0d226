import { outputOf, sourced, type PlanNode } from '@windlass/saga';
import { inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
import { levelsOf, notUndone, ofThisDeployment, onStack, reading } from '../saga/stack-step.js';

/**
 * SCALE: look at what is there, choose who leaves, tell the driver, resize by one stack update, read it, tell the driver again.
 * A scale in can't be rolled back once its update may have begun: the first VM may be gone.
 */
export const scale = operationSaga('SCALE', (saga) =>
  saga
    .step(() => inlineStep('grant'))
    .becomes('PROCESSING')
    .step(surveyStack)
    .step(() => inlineStep('plan-scale', { survey: outputOf('survey-stack') }))
    .hook('scale_start')
    .step(resizeStack)
    .step(readStack)
    .step(() => inlineStep('keep-scaled', { resources: outputOf('read-stack') }))
    .hook('scale_end')
    .step(() => inlineStep('publish-scale')),
);

const surveyStack = (context: SagaContext): PlanNode =>
  notUndone(onStack(context, 'survey-stack', { stack: sourced('stack'), ...reading, scaleLevels: levelsOf(context) }));

const resizeStack = (context: SagaContext): PlanNode => ({
  ...onStack(context, 'resize-stack', {
    ...ofThisDeployment,
    stack: sourced('stack'),
    wanted: outputOf('plan-scale', '/wanted'),
    earlier: outputOf('plan-scale', '/earlier'),
  }),
  traits: context.opOcc.request.type === 'SCALE_IN' ? { pivot: true, undoable: false } : {},
});

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, 'read-stack', { stack: sourced('stack'), ...reading, scaleLevels: outputOf('plan-scale', '/scaleLevels') }),
  );
