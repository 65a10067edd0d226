import { OperateVnfRequestBody } from '@windlass/sol003';
import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import { heldBy } from '../../operation/asked-resources.js';
import { requireKnownVnfcs } from '../../operation/instance-checks.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { predictUnchanged } from '../../operation/predicted-drafts.js';
import { operateInline } from './operate-inline.js';
import { operated, operate as saga } from './operate.saga.js';

/**
 * OPERATE (SOL003 5.4.9): starts or stops the VNF's servers, and keeps their ports and volumes. A server that is in the wanted state already is left
 * alone, and the operation completes: 5.4.9.3.1 knows only two conflicts, NOT_INSTANTIATED and another operation.
 */
export const operate = defineOperation<OperateVnfRequestBody>({
  ...saga,
  body: OperateVnfRequestBody,
  usesVim: true,
  makesVms: false,

  grant: (subject) => {
    const info = subject.instance.instantiated?.info;
    const ids = operated(subject).map(({ id }) => id);
    if (info === undefined) return {};
    const vnfcs = (info.vnfcResourceInfo ?? []).filter(({ id }) => ids.includes(id));
    return { update: heldBy(info, vnfcs, { volumes: false }) };
  },

  checkBeforeDrivers: ({ request, instance }) => {
    requireKnownVnfcs(request.vnfcInstanceId ?? [], instance);
    return request;
  },

  effect: (subject) => ({ affectedVnfcs: operated(subject).map((vnfc) => ({ changeType: 'MODIFIED', vnfc })) }),

  predictDrafts: predictUnchanged,
  inline: operateInline,
  afterFail: beginRefresh,
});
