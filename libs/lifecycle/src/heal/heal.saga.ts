import { outputOf, sourced, type PlanNode, type StepNode } from '@windlass/saga';
import { vimLimit } from '../instantiate/instantiate.saga.js';
import { INFRA_SERVICE } from '../model/infra-actions.js';
import { stackNameOf } from '../model/names.js';
import { inlineStep, operationSaga, type SagaContext } from '../saga/operation-saga.js';
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

const onStack = (context: SagaContext, action: string, input: StepNode['input']): StepNode => ({
  kind: 'step',
  id: action,
  action,
  version: 1,
  service: INFRA_SERVICE,
  target: stackNameOf(context.instance.id),
  limits: vimLimit(context),
  input: { vim: sourced('vim'), vnfInstanceId: context.instance.id, ...input },
});

const readOnly = (step: StepNode): StepNode => ({ ...step, traits: { undoable: false } });

/** A heal changes no level: a VNFC that is missing for now is not a smaller VNF. */
const reading = ({ instance }: SagaContext): StepNode['input'] => ({
  flavour: sourced('flavour'),
  request: sourced('request-for-vim'),
  scaleLevels: Object.fromEntries(
    (instance.instantiated?.info.scaleStatus ?? []).map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel]),
  ),
});

/** What was found at the beginning: the draft's own stack is another one once the stack was made anew. */
const foundStack = outputOf('find-heal-targets', '/resources/stack');
const targets = outputOf('find-heal-targets', '/targets');

function findHealTargets(context: SagaContext): PlanNode {
  const { vnfcIds, includesStorage, recreates: anew } = healWish(context.opOcc.request);
  const wish = { vnfcIds, includesStorage, recreates: anew };
  return readOnly(onStack(context, 'find-heal-targets', { stack: sourced('stack'), ...reading(context), ...wish }));
}

const markUnhealthy = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? undefined : onStack(context, 'mark-unhealthy', { stack: foundStack, targets });

const replaceServers = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? undefined : readOnly(onStack(context, 'replace-servers', { stack: foundStack, targets }));

const deleteStack = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? readOnly(onStack(context, 'delete-stack', { stack: outputOf('compare-resources', '/stack') })) : undefined;

const createStack = (context: SagaContext): PlanNode | undefined =>
  recreates(context) ? onStack(context, 'create-stack', { request: outputOf('prepare-healed-stack') }) : undefined;

const readStack = (context: SagaContext): PlanNode =>
  readOnly(
    onStack(context, 'read-stack', {
      stack: recreates(context) ? outputOf('create-stack', '/stack') : foundStack,
      ...reading(context),
    }),
  );
