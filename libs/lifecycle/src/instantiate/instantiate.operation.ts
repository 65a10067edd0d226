import { RequestError, toJsonObject } from '@windlass/foundation';
import { InstantiateVnfRequestBody } from '@windlass/sol003';
import { groupSizes } from '@windlass/user-data';
import { desiredCounts, flavourOf } from '@windlass/vnf-package';
import { noteLeftovers } from '../clean-up/after-failure.js';
import { instancesOf, onceOf } from '../grant/asked-resources.js';
import { desiredBy } from '../model/desired-state.js';
import { stackNameOf } from '../model/names.js';
import type { InstantiatedState } from '../model/records.js';
import { defineOperation } from '../operations/operation-definition.js';
import { withFlavorsToCome } from './flavors-by-size.js';
import { checkScript } from '../user-data/check-script.js';
import { heatRequest } from './heat-request.js';
import { instantiateInline } from './instantiate-inline.js';
import { instantiate as saga } from './instantiate.saga.js';

/** INSTANTIATE (SOL003 5.4.4): its request decides what the VNF is. What a failed one leaves stands on the instance's record. */
export const instantiate = defineOperation<InstantiateVnfRequestBody>({
  ...saga,
  route: { method: 'POST', task: 'instantiate', link: 'instantiate' },
  body: InstantiateVnfRequestBody,
  hooks: 'instantiate',
  usesVim: true,
  makesVms: true,
  makesVnf: true,

  grant: ({ opOcc: { request }, package: { model }, flavourId }) => {
    const flavour = flavourOf(model, flavourId);
    const { instantiationLevelId, extManagedVirtualLinks = [] } = desiredBy(request);
    const managed = extManagedVirtualLinks.map(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId);
    return { add: [...instancesOf(flavour, desiredCounts(flavour, { instantiationLevelId })), ...onceOf(flavour, managed)] };
  },

  checkBeforeDrivers: ({ request, package: { model } }) => {
    const flavour = model.flavours.find(({ id }) => id === request.flavourId);
    if (flavour === undefined) {
      const known = model.flavours.map(({ id }) => id).join(', ');
      throw wrong('/flavourId', `the VNFD has no flavour "${request.flavourId}"; it has ${known}`);
    }
    const levels = flavour.instantiationLevels.map(({ id }) => id);
    if (request.instantiationLevelId !== undefined && !levels.includes(request.instantiationLevelId)) {
      const known = levels.join(', ') || 'none';
      const reason = `flavour ${flavour.id} has no level "${request.instantiationLevelId}"; it has ${known}`;
      throw wrong('/instantiationLevelId', reason);
    }
    return request;
  },

  checkAfterDrivers: async ({ request, instance, package: record, lookups }) => {
    const body = toJsonObject(request);
    const flavour = flavourOf(record.model, request.flavourId);
    // What Heat will be asked for is computed here once, only to learn what the request lacks for it; a script's is its own matter.
    if (await checkScript({ request: body, instance, package: record, lookups }, 'INSTANTIATE'))
      groupSizes({ flavour, request: desiredBy(body) });
    else {
      const desired = withFlavorsToCome(flavour, desiredBy(body));
      heatRequest({ instance, package: record, opOcc: { id: instance.id }, desired }, {});
    }
    await lookups.chooseVim(body);
    return instance.leftovers === null ? [] : ['what a failed operation left is removed first'];
  },

  outlook: ({ opOcc: { request }, package: { model }, flavourId }) => {
    const { instantiationLevelId } = desiredBy(request);
    return { counts: desiredCounts(flavourOf(model, flavourId), { instantiationLevelId }) };
  },

  foresees: ({ opOcc: { draft }, instance, package: { model }, flavourId }, { counts = {} }, toCome) => {
    const flavour = flavourOf(model, flavourId);
    const instantiated: InstantiatedState = {
      info: { flavourId, vnfState: 'STARTED' },
      stack: { name: stackNameOf(instance.id) },
      vnfcs: toCome.vnfcs(flavour, counts),
      sharedCps: toCome.sharedCps(flavour),
      vim: draft.vim ?? { connectionId: '' },
      images: [],
    };
    return { start: {}, end: { instantiated } };
  },
  inline: instantiateInline,
  afterFail: noteLeftovers,
});

/** A request that is wrong in one field. */
const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
