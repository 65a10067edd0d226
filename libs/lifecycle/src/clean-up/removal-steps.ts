import { parallel, sequence, sourced, type PlanNode, type StepNode } from '@windlass/saga';
import { INFRA_SERVICE } from '../model/infra-actions.js';
import { vnfTag } from '../model/names.js';
import type { Leftovers, VimChoice } from '../model/records.js';
import { inlineStep, type SagaContext } from '../saga/operation-saga.js';
import type { CleanUpSubject } from './internal-operation.js';

/** What the ids of steps that remove leftovers begin with, in whatever saga they stand. */
const REMOVAL = 'remove-left-';

/** Steps that remove what an earlier operation left: the operation that they stand in made nothing by them. */
export const isRemoval = (stepId: string): boolean => stepId.startsWith(REMOVAL);

interface Removal extends Pick<CleanUpSubject, 'images' | 'mustCarry'> {
  stack?: CleanUpSubject['stack'];
  vim: VimChoice;
  vnfInstanceId: string;
  /** The source of the VIM's access. */
  source: string;
}

/** Steps that remove a stack and images: first the stack, whose servers use the images. */
export function removalSteps({ vim, vnfInstanceId, stack, images, mustCarry, source }: Removal): PlanNode[] {
  const tags = [vnfTag(vnfInstanceId), ...(mustCarry === undefined ? [] : [mustCarry])];
  const common = {
    version: 1,
    service: INFRA_SERVICE,
    limits: [`vim:${vim.vimId ?? vim.connectionId}`],
    traits: { undoable: false },
  };
  const removeStack: StepNode[] =
    stack === undefined
      ? []
      : [
          {
            ...common,
            kind: 'step',
            id: `${REMOVAL}stack`,
            action: 'remove-stack',
            target: stack.name,
            input: { vim: sourced(source), stack: { ...stack }, tags },
          },
        ];
  const deleteImages = images.map((imageId): StepNode => ({
    ...common,
    kind: 'step',
    id: `${REMOVAL}image:${imageId}`,
    action: 'delete-image',
    target: imageId,
    input: { vim: sourced(source), imageId, tags },
  }));
  return [...removeStack, ...(deleteImages.length === 0 ? [] : [parallel(deleteImages)])];
}

/** The source of the VIM that an instance's leftovers lie in. */
export const LEFTOVERS_VIM = 'leftovers-vim';

/** A new instantiation removes first what a failed one left, in whichever VIM that lies. */
export function removeLeftovers({ instance }: SagaContext): PlanNode | undefined {
  const { leftovers } = instance;
  if (leftovers === null) return undefined;
  return sequence(
    ...removalSteps({ ...leftoversAsRemoval(leftovers), vnfInstanceId: instance.id }),
    inlineStep('forget-leftovers'),
  );
}

const leftoversAsRemoval = ({ stack, images, vim }: Leftovers) => ({ stack, images, vim, source: LEFTOVERS_VIM });
