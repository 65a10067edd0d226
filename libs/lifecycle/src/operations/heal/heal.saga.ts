import { outputOf, sourced, stepCalled, type GivenInput, type PlanNode } from '@windlass/saga';
import { grantAndImages } from '../../shared-steps/grant/images-in-vim.js';
import { desiredOf } from '../../records/desired-state.js';
import {
  createStackAction,
  deleteStackAction,
  readStackAction,
  type ReadStackInput,
  type StackRequest,
} from '../../stack/infra-actions.js';
import type { StackIdentity } from '../../records/records.js';
import { keepResourcesAction } from '../../shared-steps/resources/keep-resources.js';
import { defineInlineAction, type NoInput } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { levelsIn, levelsOf, notUndone, ofThisDeployment, onStack, reading, STACK } from '../../stack/stack-step.js';
import { findHealTargetsAction, markUnhealthyAction, replaceServersAction, type FindHealTargetsOutput } from './heal-actions.js';
import type { StackUpdate } from '../../stack/resize-actions.js';
import { scriptOf } from '../../shared-steps/user-data/script-step.js';
import { healRequestOptions } from './heal-request.js';
import { healScript } from './heal-script.js';

/** Holds the stack, as it was just read, against the instance's view, and gives its identity. */
export const compareResourcesAction = defineInlineAction<{ found: FindHealTargetsOutput }, { stack: StackIdentity }>(
  'compare-resources',
);
/** Computes what Heat is asked for to make the VNF anew. */
export const prepareHealedStackAction = defineInlineAction<NoInput, StackRequest>('prepare-healed-stack');
/** Computes what Heat is asked for where a script of the package has a say in it. */
export const prepareHealUpdateAction = defineInlineAction<NoInput, { update: StackUpdate | null }>('prepare-heal-update');
export const publishHealAction = defineInlineAction('publish-heal');

/**
 * HEAL: look at what is really there, take it out of service, replace it, configure it, publish the instance.
 * Marks can be taken back; once a server is replaced, or the stack deleted, there is no way back.
 */
export const heal = operationSaga('HEAL', (saga) =>
  saga
    .step((context) => grantAndImages(context, healScript))
    .becomes('PROCESSING')
    .step(findHealTargets)
    .step(() => inlineStep(compareResourcesAction, { found: outputOf(found) }))
    .hook('heal', 'start')
    .step((context) => (isScripted(context) ? inlineStep(prepareHealUpdateAction, {}) : undefined))
    .step(markUnhealthy)
    .step(replaceServers)
    .pivot()
    .step(deleteStack)
    .pivot()
    .step((context) => (recreates(context) ? inlineStep(prepareHealedStackAction, {}) : undefined))
    .step(createStack)
    .step(readStack)
    .step(() => inlineStep(keepResourcesAction, { resources: outputOf(stepCalled(readStackAction)) }))
    .hook('heal', 'end')
    .step(() => inlineStep(publishHealAction, {})),
);

const recreates = ({ opOcc }: SagaContext): boolean => healRequestOptions(opOcc.request).recreates;

/** Whether the servers are replaced by an update that a script has computed. */
const isScripted = (context: SagaContext): boolean => scriptOf(context, healScript)?.method === 'heal';

type Reading = GivenInput<Pick<ReadStackInput, 'flavour' | 'request' | 'scaleLevels'>>;

/** A heal changes no level. What a failed scaling has left is counted. */
const readingAsItWas = (context: SagaContext): Reading => ({ ...reading, scaleLevels: levelsOf(context) });

/** A recreated VNF is read in its desired size, whatever size a failed scaling left. */
const readingMadeAnew = ({ instance }: SagaContext): Reading => ({
  ...reading,
  scaleLevels: levelsIn(desiredOf(instance).scaleStatus),
});

/** What was found at the beginning. The draft's own stack is a different one once the stack was recreated. */
const found = stepCalled(findHealTargetsAction);
const foundStack = outputOf(found, ({ resources }) => resources.stack);
const targets = outputOf(found, (all) => all.targets);

function findHealTargets(context: SagaContext): PlanNode {
  const { vnfcIds, includesStorage, recreates: anew } = healRequestOptions(context.opOcc.request);
  const requested = { vnfcIds, includesStorage, recreates: anew };
  return notUndone(onStack(context, findHealTargetsAction, { stack: sourced(STACK), ...readingAsItWas(context), ...requested }));
}

const markUnhealthy = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? undefined : onStack(context, markUnhealthyAction, { ...ofThisDeployment, stack: foundStack, targets });

const replaceServers = (context: SagaContext): PlanNode | undefined =>
  recreates(context)
    ? undefined
    : notUndone(
        onStack(context, replaceServersAction, {
          ...ofThisDeployment,
          stack: foundStack,
          targets,
          ...(isScripted(context) ? { update: outputOf(stepCalled(prepareHealUpdateAction), (made) => made.update) } : {}),
        }),
      );

const deleteStack = (context: SagaContext): PlanNode | undefined =>
  recreates(context)
    ? notUndone(
        onStack(context, deleteStackAction, {
          ...ofThisDeployment,
          stack: outputOf(stepCalled(compareResourcesAction), (now) => now.stack),
        }),
      )
    : undefined;

const createStack = (context: SagaContext): PlanNode | undefined =>
  recreates(context)
    ? onStack(context, createStackAction, { request: outputOf(stepCalled(prepareHealedStackAction)) })
    : undefined;

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, readStackAction, {
      stack: recreates(context) ? outputOf(stepCalled(createStackAction), (made) => made.stack) : foundStack,
      ...(recreates(context) ? readingMadeAnew(context) : readingAsItWas(context)),
    }),
  );
