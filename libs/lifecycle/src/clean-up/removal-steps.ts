import { parallel, sequence, source, sourced, stepOf, type PlanNode, type Source } from '@windlass/saga';
import { deleteImageAction, removeStackAction, type VimAccess } from '../model/infra-actions.js';
import { vnfTag } from '../model/names.js';
import type { Leftovers, VimChoice } from '../model/records.js';
import { defineInlineAction } from '../saga/inline-run.js';
import { inlineStep, type SagaContext } from '../saga/operation-saga.js';
import type { CleanUpSubject } from './internal-operation.js';

/** Takes the leftovers off the instance's record. */
export const forgetLeftoversAction = defineInlineAction('forget-leftovers');

/** What the ids of steps that remove leftovers begin with, in whatever saga they stand. */
const REMOVAL = 'remove-left-';

/** Steps that remove what an earlier operation left: the operation that they stand in made nothing by them. */
export const isRemoval = (stepId: string): boolean => stepId.startsWith(REMOVAL);

interface Removal extends Pick<CleanUpSubject, 'images' | 'mustCarry'> {
  stack?: CleanUpSubject['stack'];
  vim: VimChoice;
  vnfInstanceId: string;
  /** The source of the VIM's access. */
  source: Source<VimAccess>;
}

/** Steps that remove a stack and images: first the stack, whose servers use the images. */
export function removalSteps({ vim, vnfInstanceId, stack, images, mustCarry, source: access }: Removal): PlanNode[] {
  const tags = [vnfTag(vnfInstanceId), ...(mustCarry === undefined ? [] : [mustCarry])];
  const common = {
    limits: [`vim:${vim.vimId ?? vim.connectionId}`],
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
  const deleteImages = images.map((imageId) =>
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

/** A new instantiation removes first what a failed one left, in whichever VIM that lies. */
export function removeLeftovers({ instance }: SagaContext): PlanNode | undefined {
  const { leftovers } = instance;
  if (leftovers === null) return undefined;
  return sequence(
    ...removalSteps({ ...leftoversAsRemoval(leftovers), vnfInstanceId: instance.id }),
    inlineStep(forgetLeftoversAction, {}),
  );
}

const leftoversAsRemoval = ({ stack, images, vim }: Leftovers) => ({ stack, images, vim, source: LEFTOVERS_VIM });
