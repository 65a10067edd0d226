import { toJsonObject } from '@windlass/foundation';
import { InstantiateVnfRequestBody } from '@windlass/sol003';
import { groupSizes } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import { noteLeftovers, releaseUnlessLeft } from '../../shared-steps/clean-up/after-failure.js';
import { instantiateCnfInline, instantiateOnKubernetes } from './instantiate-cnf.js';
import { desiredBy } from '../../records/desired-state.js';
import { HOST_KEYS_PARAM } from '../../records/known-host-keys.js';
import { DEF_FILES, NAMESPACE } from '../../records/on-kubernetes.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { refuseWrongVims } from '../../operation/refuse-wrong-vims.js';
import { withPlaceholderFlavors } from '../../stack/flavors-by-size.js';
import { checkScript } from '../../shared-steps/user-data/check-script.js';
import { heatRequest } from '../../stack/heat-request.js';
import { instantiateInline } from './instantiate-inline.js';
import { refuseUnusedConnectivity, unusedConnectivity } from '../../shared-steps/connectivity/unused-connectivity.js';
import { instantiateScript } from './instantiate-script.js';
import { instantiate as saga } from './instantiate.saga.js';
import { predictWhole, wholeEffect, wholeResources, withKnownFlavour } from './whole-vnf.js';

/** INSTANTIATE (SOL003 5.4.4): its request decides what the VNF is. What a failed one leaves stands on the instance's record. */
export const instantiate = defineOperation<InstantiateVnfRequestBody>({
  ...saga,
  body: InstantiateVnfRequestBody,
  usesVim: true,
  makesVms: true,
  makesVnf: true,

  grant: wholeResources,

  checkBeforeDrivers: async ({ request, package: { model }, lookups }) => {
    await refuseWrongVims(request.vimConnectionInfo ?? [], lookups);
    return withKnownFlavour(request, model);
  },

  checkAfterDrivers: async ({ request, instance, package: record, lookups }) => {
    const body = toJsonObject(request);
    const flavour = flavourOf(record.model, request.flavourId);
    // What Heat will be asked for is computed here once, only to learn what the request lacks for it; a script's is its own matter.
    const scripted = await checkScript({ request: body, instance, package: record, lookups }, instantiateScript);
    if (scripted) groupSizes({ flavour, request: desiredBy(body), scripted: true });
    else {
      refuseUnusedConnectivity(flavour, request);
      const desired = withPlaceholderFlavors(flavour, desiredBy(body));
      heatRequest({ instance, package: record, opOcc: { id: instance.id }, desired }, {});
    }
    const vim = await lookups.chooseVim(body);
    return [
      ...(instance.leftovers === null ? [] : ['what a failed operation left is removed first']),
      // A script is told all of the request, and what it uses is its own matter.
      ...(scripted ? [] : unusedConnectivity(flavour, request, vim)),
    ];
  },

  script: instantiateScript,
  paramsRead: ['nfv', HOST_KEYS_PARAM, DEF_FILES, NAMESPACE],

  effect: wholeEffect,
  predictDrafts: predictWhole,
  inline: { ...instantiateInline, ...instantiateCnfInline },
  afterFail: noteLeftovers,
  afterRollBack: releaseUnlessLeft,
  onKubernetes: instantiateOnKubernetes,
});
