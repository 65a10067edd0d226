import { InvariantError, toJson, type Json, type JsonObject } from '@windlass/foundation';
import { flavourOf } from '@windlass/vnf-package';
import { stepSource, type SourceSubject, type StepSources } from '../operation/step-sources.js';
import { connectivityOf, desiredIn } from '../records/desired-state.js';
import { deploymentTag, stackNameOf } from '../records/names.js';
import { isCluster } from '../records/on-kubernetes.js';
import type { VimChoice } from '../records/records.js';
import { wantedFlavors } from './flavors-by-size.js';
import { CONNECTIVITY, DEPLOYMENT_TAG, FLAVOUR, STACK, VIM, WANTED_FLAVORS } from './stack-step.js';

/** The VIM, the stack, and what a stack is read and made by. */
export const stackSources: StepSources = [
  [
    VIM,
    (subject) => {
      const { id, tenant, request, draft } = subject.opOcc;
      if (draft.vim === undefined) throw new InvariantError(`operation ${id} has no VIM`);
      return accessTo(subject, draft.vim, tenant, request);
    },
  ],
  stepSource(STACK, ({ opOcc, instance }) => {
    const state = opOcc.draft.instantiated ?? instance.instantiated;
    return state?.stack ?? { name: stackNameOf(instance.id) };
  }),
  stepSource(CONNECTIVITY, ({ operations, opOcc, instance }) => connectivityOf(operations.desiredFor(opOcc, instance))),
  stepSource(DEPLOYMENT_TAG, async ({ store, tx }) => deploymentTag(await store.deploymentId(tx.handle))),
  stepSource(FLAVOUR, async ({ operations, opOcc, instance, context }) => {
    const { model } = (await context()).package;
    return model.flavours.find(({ id }) => id === operations.flavourIdOf(opOcc, instance));
  }),
  stepSource(WANTED_FLAVORS, async ({ opOcc, context }) => {
    const { package: record, flavourId } = await context();
    return wantedFlavors(flavourOf(record.model, flavourId), desiredIn(opOcc));
  }),
];

/**
 * A VIM with all that is needed to use it, of either kind.
 * @param request may describe the VIM beside the instance
 */
export const accessTo = async (
  { store, tx, instance }: SourceSubject,
  vim: VimChoice,
  tenant: string,
  request: JsonObject,
): Promise<Json> =>
  isCluster(vim)
    ? toJson(await store.clusterAccess(tx.handle, tenant, vim))
    : toJson(await store.vimAccess(tx.handle, tenant, vim, instance, request));
