import { outputOf, sourced, type PlanNode, type StepNode } from '@windlass/saga';
import { vimLimit } from '../instantiate/instantiate.saga.js';
import { INFRA_SERVICE } from '../model/infra-actions.js';
import { stackNameOf } from '../model/names.js';
import { inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';

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

const infraStep = (context: SagaContext, action: string, step: Pick<StepNode, 'input' | 'traits'>): StepNode => ({
  kind: 'step',
  id: action,
  action,
  version: 1,
  service: INFRA_SERVICE,
  target: stackNameOf(context.instance.id),
  limits: vimLimit(context),
  ...step,
  input: { vim: sourced('vim'), vnfInstanceId: context.instance.id, stack: sourced('stack'), ...step.input },
});

const surveyStack = (context: SagaContext): PlanNode =>
  infraStep(context, 'survey-stack', {
    input: {
      flavour: sourced('flavour'),
      request: sourced('request-for-vim'),
      scaleLevels: levelsOf(context),
    },
    traits: { undoable: false },
  });

const resizeStack = (context: SagaContext): PlanNode =>
  infraStep(context, 'resize-stack', {
    input: { wanted: outputOf('plan-scale', '/wanted'), earlier: outputOf('plan-scale', '/earlier') },
    traits: context.opOcc.request.type === 'SCALE_IN' ? { pivot: true, undoable: false } : {},
  });

const readStack = (context: SagaContext): PlanNode =>
  infraStep(context, 'read-stack', {
    input: {
      flavour: sourced('flavour'),
      request: sourced('request-for-vim'),
      scaleLevels: outputOf('plan-scale', '/scaleLevels'),
    },
    traits: { undoable: false },
  });

/** Where the aspects stand now. */
const levelsOf = ({ instance }: SagaContext): Record<string, number> =>
  Object.fromEntries((instance.instantiated?.info.scaleStatus ?? []).map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel]));
