import { toJsonObject, type JsonObject } from '@windlass/foundation';
import { HEAL_BLOCK_STORAGE, HealVnfRequestBody } from '@windlass/sol003';
import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import { desiredCounts, flavourOf } from '@windlass/vnf-package';
import { desiredOf } from '../../records/desired-state.js';
import { HOST_KEYS_PARAM } from '../../records/known-host-keys.js';
import type { VnfInstanceRecord } from '../../records/records.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { grantInline } from '../../shared-steps/grant/grant-inline.js';
import { keepResources } from '../../shared-steps/resources/keep-resources.js';
import { requireKnownVnfcs, requireStarted } from '../../operation/instance-checks.js';
import { checkScript } from '../../shared-steps/user-data/check-script.js';
import { healCnfInline, healOnKubernetes } from './heal-cnf.js';
import { keepAbandonedHeal } from './abandoned-heal.js';
import { predictHeal } from './predict-heal.js';
import { healInline } from './heal-inline.js';
import { HEAL_ALL, healedVnfcs, healRequestOptions } from './heal-request.js';
import { healScript } from './heal-script.js';
import { healedResources } from './healed-resources.js';
import { heal as saga } from './heal.saga.js';

/** HEAL (SOL003 5.4.8): VNFCs are replaced in their places, or the whole VNF is recreated. */
export const heal = defineOperation<HealVnfRequestBody>({
  ...saga,
  body: HealVnfRequestBody,
  usesVim: true,
  makesVms: true,

  grant: healedResources,

  checkBeforeDrivers: async ({ request, instance, package: record, lookups }) => {
    requireStarted(instance);
    requireKnownVnfcs(request.vnfcInstanceId ?? [], instance);
    // A heal of all VMs makes another cluster, so it is refused while VNFs of containers use the present one.
    if (healRequestOptions(toJsonObject(request)).vnfcIds === null) await lookups.refuseUsedCluster(instance.id);
    await checkScript({ request: toJsonObject(request), instance, package: record, lookups }, healScript);
    return request;
  },
  checkAfterDrivers: ({ request, instance }) => volumesLost(toJsonObject(request), instance),

  script: healScript,
  paramsRead: [HOST_KEYS_PARAM, HEAL_BLOCK_STORAGE, HEAL_ALL],

  effect: ({ opOcc: { request }, instance, package: { model }, flavourId }) => {
    const requested = healRequestOptions(request);
    const heal = healedVnfcs(instantiatedOf(instance), requested);
    // A recreated VNF has its desired size, whatever size a failed scaling left.
    return { heal, ...(requested.recreates ? { counts: desiredCounts(flavourOf(model, flavourId), desiredOf(instance)) } : {}) };
  },

  predictDrafts: predictHeal,
  inline: { ...grantInline, ...keepResources, ...healInline, ...healCnfInline },
  afterFail: async (failed) => {
    await keepAbandonedHeal(failed);
    await beginRefresh(failed);
  },
  onKubernetes: healOnKubernetes,
});

/** A warning for a request that asks to keep volumes, where the whole VNF is recreated with its volumes. */
function volumesLost(body: JsonObject, { instantiated }: VnfInstanceRecord): string[] {
  const { recreates, includesStorage } = healRequestOptions(body);
  const volumes = instantiated?.info.virtualStorageResourceInfo?.length ?? 0;
  if (!recreates || includesStorage || volumes === 0) return [];
  return [`${HEAL_BLOCK_STORAGE} is false, but the whole VNF is made anew, volumes too: name its VNFCs, or set all to false`];
}
