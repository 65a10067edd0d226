import { validated, VnfInfoModificationRequestBody } from '@windlass/sol003';
import { beginModificationAction, publishModificationAction } from './modify.saga.js';
import { inlineAction, type InlineActions, type InlineRun } from '../../operation/inline-run.js';
import { publish } from '../../operation/publish.js';
import { modified, type Modification } from './modify-request.js';

/** The inline steps of a modification. */
export const modifyInline: InlineActions = {
  /** Looks once more whether it can be done, before anybody is told of it. */
  ...inlineAction(beginModificationAction, async (run) => {
    await modificationOf(run);
    return undefined;
  }),

  ...inlineAction(publishModificationAction, async (run) => {
    const { tx, store, context } = run;
    const { instance, changedInfo } = await modificationOf(run);
    if (changedInfo !== undefined) context.opOcc.draft.changedInfo = changedInfo;
    await publish(tx, store, context.opOcc, instance);
    return undefined;
  }),
};

async function modificationOf({ tx, store, context }: Omit<InlineRun, 'input'>): Promise<Modification> {
  const request = validated(VnfInfoModificationRequestBody, context.opOcc.request);
  const target = request.vnfPkgId === undefined ? undefined : await store.package(tx.handle, request.vnfPkgId);
  return modified(context.instance, request, target);
}
