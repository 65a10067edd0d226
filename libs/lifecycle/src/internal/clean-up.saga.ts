import { sequence, type Plan, type PlanNode } from '@windlass/saga';
import { defineInlineAction } from '../operation/inline-run.js';
import { inlineStep } from '../operation/operation-saga.js';
import { INTERNAL_VIM, type InternalSagaContext } from './internal-saga.js';
import { removalSteps } from '../shared-steps/clean-up/removal-steps.js';

/** Takes clusters that are gone out of the registry. */
export const unregisterVimsAction = defineInlineAction('unregister-vims');

/** Takes the instance's references to shared images off the record. */
export const dropReferencesAction = defineInlineAction('drop-image-references');

/** Takes shared images off the record. */
export const forgetSharedImagesAction = defineInlineAction('forget-shared-images');

/** CLEAN_UP: remove what was left in the VIM, then the registrations of clusters that were made there. */
export function cleanUpPlan({ record }: InternalSagaContext<'CLEAN_UP'>): Plan {
  const { vim, stack, images, objects, vims, mustCarry, sharedImages = [], sharesImages } = record.subject;
  const steps: PlanNode[] = removalSteps({
    vim: vim.choice,
    tenant: record.tenant,
    vnfInstanceId: record.vnfInstanceId ?? '',
    images,
    source: INTERNAL_VIM,
    ...(stack === undefined ? {} : { stack }),
    ...(objects === undefined ? {} : { objects }),
    ...(mustCarry === undefined ? {} : { mustCarry }),
    sharedImages,
  });
  const after = [
    ...(vims.length === 0 ? [] : [unregisterVimsAction]),
    ...(sharesImages === true ? [dropReferencesAction] : []),
    ...(sharedImages.length === 0 ? [] : [forgetSharedImagesAction]),
  ];
  return { root: sequence(...steps, ...after.map((action) => inlineStep(action, {}))) };
}
