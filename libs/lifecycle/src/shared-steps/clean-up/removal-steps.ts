import { parallel, sequence, source, sourced, stepOf, type PlanNode, type Source } from '@windlass/saga';
import { deleteImageAction, removeStackAction } from '../../stack/infra-actions.js';
import type { VimAccess, ClusterAccess } from '../../records/vim-access.js';
import { deleteObjectsAction } from '../../kubernetes/cluster-actions.js';
import type { ObjectRef } from '../../records/cluster-objects.js';
import { SHARED_IMAGE_TAG, stackNameOf, vnfTag } from '../../records/names.js';
import type { Leftovers, VimChoice } from '../../records/records.js';
import { defineInlineAction } from '../../operation/inline-run.js';
import { limitOfVim } from '../../records/limit-keys.js';
import { inlineStep, type SagaContext } from '../../operation/operation-saga.js';
import type { StepSources } from '../../operation/step-sources.js';
import { accessTo } from '../../stack/stack-sources.js';
import { DEPLOYMENT_TAG } from '../../stack/stack-step.js';
import type { CleanUpSubject } from '../../records/internal-operation.js';

/** Takes the leftovers off the instance's record. */
export const forgetLeftoversAction = defineInlineAction('forget-leftovers');

/** What the ids of steps that remove leftovers begin with, in whatever saga they stand. */
const REMOVAL = 'remove-left-';

/** Steps that remove what an earlier operation left: the operation that they stand in made nothing by them. */
export const isRemoval = (stepId: string): boolean => stepId.startsWith(REMOVAL);

interface Removal extends Pick<CleanUpSubject, 'images' | 'sharedImages' | 'objects' | 'mustCarry'> {
  stack?: CleanUpSubject['stack'];
  vim: VimChoice;
  tenant: string;
  vnfInstanceId: string;
  /** The source of the VIM's access. */
  source: Source<VimAccess>;
}

/** Steps that remove what lies in one VIM. */
export const removalSteps = (removal: Removal): PlanNode[] =>
  removal.objects === undefined ? ofOpenStack(removal) : [ofCluster(removal, removal.objects)];

/** Deletes objects that carry our labels, and leaves others alone. */
const ofCluster = ({ vim, tenant, vnfInstanceId, source: access }: Removal, objects: ObjectRef[]): PlanNode =>
  stepOf(deleteObjectsAction, {
    id: `${REMOVAL}objects`,
    target: stackNameOf(vnfInstanceId),
    limits: [limitOfVim(tenant, vim)],
    traits: { undoable: false },
    input: {
      vim: sourced(access as Source<unknown> as Source<ClusterAccess>),
      vnfInstanceId,
      deploymentTag: sourced(DEPLOYMENT_TAG),
      objects,
    },
  });

/** Steps that remove a stack and images: first the stack, whose servers use the images. */
function ofOpenStack(removal: Removal): PlanNode[] {
  const { vim, tenant, vnfInstanceId, stack, images, sharedImages = [], mustCarry, source: access } = removal;
  const deployment = mustCarry === undefined ? [] : [mustCarry];
  const tags = [vnfTag(vnfInstanceId), ...deployment];
  const common = {
    limits: [limitOfVim(tenant, vim)],
    traits: { undoable: false },
  };
  const removeStack =
    stack === undefined
      ? []
      : [
          stepOf(removeStackAction, {
            ...common,
            id: `${REMOVAL}stack`,
            target: stack.name,
            input: { vim: sourced(access), stack: { ...stack }, tags },
          }),
        ];
  const ofInstance = images.map((imageId) => ({ imageId, tags }));
  const shared = sharedImages.map((imageId) => ({ imageId, tags: [SHARED_IMAGE_TAG, ...deployment] }));
  const deleteImages = [...ofInstance, ...shared].map(({ imageId, tags }) =>
    stepOf(deleteImageAction, {
      ...common,
      id: `${REMOVAL}image:${imageId}`,
      target: imageId,
      input: { vim: sourced(access), imageId, tags },
    }),
  );
  return [...removeStack, ...(deleteImages.length === 0 ? [] : [parallel(deleteImages)])];
}

/** The source of the VIM that an instance's leftovers lie in. */
export const LEFTOVERS_VIM = source<VimAccess>('leftovers-vim');

/** The VIM that leftovers lie in, as the instance's record describes it. */
export const leftoversSources: StepSources = [
  [
    LEFTOVERS_VIM,
    (subject) => {
      const { opOcc, instance } = subject;
      const { leftoversVim } = opOcc.draft;
      return leftoversVim === undefined ? undefined : accessTo(subject, leftoversVim, instance.tenant, {});
    },
  ],
];

/** A new instantiation removes first what a failed one left, in whichever VIM that lies. */
export function removeLeftovers({ instance }: SagaContext): PlanNode | undefined {
  const { leftovers } = instance;
  if (leftovers === null) return undefined;
  return sequence(
    ...removalSteps({ ...leftoversAsRemoval(leftovers), tenant: instance.tenant, vnfInstanceId: instance.id }),
    inlineStep(forgetLeftoversAction, {}),
  );
}

const leftoversAsRemoval = ({ stack, images, objects, vim }: Leftovers) => ({
  stack,
  images,
  ...(objects === undefined ? {} : { objects }),
  vim,
  source: LEFTOVERS_VIM,
});
