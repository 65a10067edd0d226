import { outputOf, sourced, type PlanNode, type StepNode } from '@windlass/saga';
import { desiredOf } from '../model/desired-state.js';
import { inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
import { levelsIn, levelsOf, notUndone, ofThisDeployment, onStack, reading } from '../saga/stack-step.js';
import { healWish } from './heal-request.js';

/**
 * HEAL: look at what is really there, take it out of service, replace it, configure it, publish the instance.
 * Marks can be taken back; once a server is replaced, or the stack deleted, there is no way back.
 */
export const heal = operationSaga('HEAL', (saga) =>
  saga
    .step(() => inlineStep('grant'))
    .becomes('PROCESSING')
    .step(findHealTargets)
    .step(() => inlineStep('compare-resources', { found: outputOf('find-heal-targets') }))
    .hook('heal_start')
    .step(markUnhealthy)
    .step(replaceServers)
    .pivot()
    .step(deleteStack)
    .pivot()
    .step((context) => (recreates(context) ? inlineStep('prepare-healed-stack') : undefined))
    .step(createStack)
    .step(readStack)
    .step(() => inlineStep('keep-resources', { resources: outputOf('read-stack') }))
    .hook('heal_end')
    .step(() => inlineStep('publish-heal')),
);

const recreates = ({ opOcc }: SagaContext): boolean => healWish(opOcc.request).recreates;

/** A heal changes no level: a VNFC that is missing for now is not a smaller VNF. */
const readingAsItWas = (context: SagaContext): StepNode['input'] => ({ ...reading, scaleLevels: levelsOf(context) });

/** What is made anew has the size that it should have, whatever a scaling that failed left of it. */
const readingMadeAnew = ({ instance }: SagaContext): StepNode['input'] => ({
  ...reading,
  scaleLevels: levelsIn(desiredOf(instance).scaleStatus),
});

/** What was found at the beginning: the draft's own stack is another one once the stack was made anew. */
const foundStack = outputOf('find-heal-targets', '/resources/stack');
const targets = outputOf('find-heal-targets', '/targets');

function findHealTargets(context: SagaContext): PlanNode {
  const { vnfcIds, includesStorage, recreates: anew } = healWish(context.opOcc.request);
  const wish = { vnfcIds, includesStorage, recreates: anew };
  return notUndone(onStack(context, 'find-heal-targets', { stack: sourced('stack'), ...readingAsItWas(context), ...wish }));
}

const markUnhealthy = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? undefined : onStack(context, 'mark-unhealthy', { ...ofThisDeployment, stack: foundStack, targets });

const replaceServers = (context: SagaContext): PlanNode | undefined =>
  recreates(context)
    ? undefined
    : notUndone(onStack(context, 'replace-servers', { ...ofThisDeployment, stack: foundStack, targets }));

const deleteStack = (context: SagaContext): PlanNode | undefined =>
  recreates(context)
    ? notUndone(onStack(context, 'delete-stack', { ...ofThisDeployment, stack: outputOf('compare-resources', '/stack') }))
    : undefined;

const createStack = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? onStack(context, 'create-stack', { request: outputOf('prepare-healed-stack') }) : undefined;

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, 'read-stack', {
      stack: recreates(context) ? outputOf('create-stack', '/stack') : foundStack,
      ...(recreates(context) ? readingMadeAnew(context) : readingAsItWas(context)),
    }),
  );
