import { toJsonObject } from '@windlass/foundation';
import { ScaleVnfRequestBody } from '@windlass/sol003';
import { beginRefresh } from '../clean-up/after-failure.js';
import { defineOperation, type FailedOperation } from '../operations/operation-definition.js';
import { requireStarted } from '../operations/instance-checks.js';
import { grantInline } from '../saga/inline-actions.js';
import { publish } from '../saga/publish.js';
import { scaleInline } from './scale-inline.js';
import { scaledResources } from './scaled-resources.js';
import { checkScaling } from './scale-plan.js';
import { scale as saga } from './scale.saga.js';

/** SCALE (SOL003 5.4.5): an aspect, by steps. */
export const scale = defineOperation<ScaleVnfRequestBody>({
  ...saga,
  route: { method: 'POST', task: 'scale', link: 'scale' },
  body: ScaleVnfRequestBody,
  hooks: 'scale',
  usesVim: true,
  makesVms: true,

  grant: scaledResources,

  checkBeforeDrivers: ({ request, instance, package: record, flavourId }) => {
    requireStarted(instance);
    const body = toJsonObject(request);
    checkScaling({ instance, package: record, flavourId, opOcc: { id: instance.id, request: body } });
    return request;
  },

  inline: { ...grantInline, ...scaleInline },
  afterFail: async (failed) => {
    await publishWhatIsThere(failed);
    await beginRefresh(failed);
  },
});

/** A scaling that is left as it is: the instance shows what was last read of the stack. What came after, the refresh finds. */
async function publishWhatIsThere({ store, tx, opOcc }: FailedOperation): Promise<void> {
  const { instantiated } = opOcc.draft;
  if (instantiated === undefined) return;
  await publish(tx, store, opOcc, { ...(await store.instance(tx.handle, opOcc.vnfInstanceId)), instantiated });
}
