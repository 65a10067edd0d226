import type { VnfInfoModificationRequest } from '@windlass/sol003';
import type { InlineActions, InlineRun } from '../saga/inline-run.js';
import { publish } from '../saga/publish.js';
import { modified, type Modification } from './modify-request.js';

/** The inline steps of a modification. */
export const modifyInline: InlineActions = {
  /** Looks once more whether it can be done, before anybody is told of it. */
  'begin-modification': async (run) => {
    await modificationOf(run);
    return undefined;
  },

  'publish-modification': async (run) => {
    const { tx, store, context } = run;
    const { instance, changedInfo } = await modificationOf(run);
    if (changedInfo !== undefined) context.opOcc.draft.changedInfo = changedInfo;
    await publish(tx, store, context.opOcc, instance);
    return undefined;
  },
};

async function modificationOf({ tx, store, context }: InlineRun): Promise<Modification> {
  const request = context.opOcc.request as unknown as VnfInfoModificationRequest;
  const target = request.vnfPkgId === undefined ? undefined : await store.package(tx.handle, request.vnfPkgId);
  return modified(context.instance, request, target);
}
