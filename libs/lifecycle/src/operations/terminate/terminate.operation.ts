import { TerminateVnfRequestBody } from '@windlass/sol003';
import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import { allOf } from '../../operation/asked-resources.js';
import { terminateCnf } from './terminate-cnf.js';
import { defineOperation, type OnKubernetes } from '../../operation/operation-definition.js';
import { countsNow } from '../../operation/request-effect.js';
import { predictUnchanged } from '../../operation/predicted-drafts.js';
import { terminateInline } from './terminate-inline.js';
import { terminate as saga } from './terminate.saga.js';

/** What is the same whatever the VNF consists of. */
const forAny: Omit<OnKubernetes<TerminateVnfRequestBody>, 'plan'> = {
  grant: ({ instance: { instantiated } }) => (instantiated === null ? {} : { remove: allOf(instantiated.info) }),

  checkBeforeDrivers: async ({ request, instance, lookups }) => {
    await lookups.refuseUsedCluster(instance.id);
    return request;
  },
  checkAfterDrivers: () => [],

  effect: (subject) => ({ counts: Object.fromEntries(Object.keys(countsNow(subject)).map((vduId) => [vduId, 0])) }),

  predictDrafts: predictUnchanged,
  afterFail: beginRefresh,
};

/** TERMINATE (SOL003 5.4.7): not while the VNF is a cluster that others are on. */
export const terminate = defineOperation<TerminateVnfRequestBody>({
  ...saga,
  body: TerminateVnfRequestBody,
  usesVim: true,
  makesVms: false,
  endsVnf: true,

  ...forAny,
  inline: terminateInline,
  onKubernetes: { ...forAny, plan: terminateCnf.plan.bind(terminateCnf) },
});
