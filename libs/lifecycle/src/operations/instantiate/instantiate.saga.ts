import { outputOf, stepCalled, type PlanNode } from '@windlass/saga';
import { removeLeftovers } from '../../shared-steps/clean-up/removal-steps.js';
import { grantAndImages } from '../../shared-steps/grant/images-in-vim.js';
import { createStackAction, readStackAction, type StackRequest } from '../../stack/infra-actions.js';
import { uploadImages } from '../../shared-steps/images/upload-images.js';
import { shareImages } from '../../shared-steps/images/share-images.js';
import { flavorsBySize } from '../../stack/flavors-by-size.js';
import { keepResourcesAction } from '../../shared-steps/resources/keep-resources.js';
import { defineInlineAction, type NoInput } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { notUndone, onStack, reading } from '../../stack/stack-step.js';
import { instantiateScript } from './instantiate-script.js';

/** Computes what Heat is asked for. */
export const prepareStackAction = defineInlineAction<NoInput, StackRequest>('prepare-stack');
export const publishInstanceAction = defineInlineAction('publish-instance');

/** INSTANTIATE: ask for the grant, remove what a failed one left, create the resources, configure them, publish the instance. */
export const instantiate = operationSaga('INSTANTIATE', (saga) =>
  saga
    .step((context) => grantAndImages(context, instantiateScript, flavorsBySize(context)))
    .becomes('PROCESSING')
    .step(removeLeftovers)
    .hook('instantiate', 'start')
    .step((context) => shareImages(context) ?? uploadImages(context))
    .step(() => inlineStep(prepareStackAction, {}))
    .step(createStack)
    .step(readStack)
    .step(() => inlineStep(keepResourcesAction, { resources: outputOf(stepCalled(readStackAction)) }))
    .hook('instantiate', 'end')
    .step(() => inlineStep(publishInstanceAction, {})),
);

const createStack = (context: SagaContext): PlanNode =>
  onStack(context, createStackAction, { request: outputOf(stepCalled(prepareStackAction)) });

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, readStackAction, { stack: outputOf(stepCalled(createStackAction), (made) => made.stack), ...reading }),
  );
