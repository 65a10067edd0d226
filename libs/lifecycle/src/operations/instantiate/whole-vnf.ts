import { RequestError } from '@windlass/foundation';
import type { Plain, InstantiateVnfRequestBody } from '@windlass/sol003';
import { desiredCounts, flavourOf, type VnfPackageModel } from '@windlass/vnf-package';
import { instancesOf, onceOf, type ResourcesOf } from '../../operation/asked-resources.js';
import { desiredBy } from '../../records/desired-state.js';
import { stackNameOf } from '../../records/names.js';
import type { InstantiatedState } from '../../records/records.js';
import type { EffectSubject, RequestEffect } from '../../operation/request-effect.js';
import type { PredictDrafts } from '../../operation/predicted-drafts.js';

/** What an operation asks a grant for that makes the whole VNF. */
export const wholeResources: ResourcesOf = ({ opOcc: { request }, package: { model }, flavourId }) => {
  const flavour = flavourOf(model, flavourId);
  const { instantiationLevelId, extManagedVirtualLinks = [] } = desiredBy(request);
  const managed = extManagedVirtualLinks.map(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId);
  return { add: [...instancesOf(flavour, desiredCounts(flavour, { instantiationLevelId })), ...onceOf(flavour, managed)] };
};

/** @throws RequestError 400 for a flavour or a level that the VNFD has not */
export function withKnownFlavour(
  request: Plain<InstantiateVnfRequestBody>,
  model: VnfPackageModel,
): Plain<InstantiateVnfRequestBody> {
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
}

/** How many VNFCs there will be. */
export function wholeEffect({ opOcc: { request }, package: { model }, flavourId }: EffectSubject): RequestEffect {
  const { instantiationLevelId } = desiredBy(request);
  return { counts: desiredCounts(flavourOf(model, flavourId), { instantiationLevelId }) };
}

/** The VNF is empty before the operation, and complete after it. */
export const predictWhole: PredictDrafts = (
  { opOcc: { draft }, instance, package: { model }, flavourId },
  { counts = {} },
  placeholders,
) => {
  const flavour = flavourOf(model, flavourId);
  const instantiated: InstantiatedState = {
    info: { flavourId, vnfState: 'STARTED' },
    stack: { name: stackNameOf(instance.id) },
    vnfcs: placeholders.vnfcs(flavour, counts),
    sharedCps: placeholders.sharedCps(flavour),
    vim: draft.vim ?? { connectionId: '' },
    images: [],
  };
  return { start: {}, end: { instantiated } };
};

/** A request that is wrong in one field. */
const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
