import { atPointer, pointerToken } from '@windlass/foundation';
import { outputOf, sourced, stepCalled, stepOf, type PlanNode } from '@windlass/saga';
import { flavorSize, type Flavour, type Vdu } from '@windlass/vnf-package';
import type { DesiredState } from '../records/desired-state.js';
import { findFlavorsAction, type FindFlavorsOutput, type WantedFlavor } from './infra-actions.js';
import { defineInlineAction } from '../operation/inline-run.js';
import { inlineStep, type SagaContext } from '../operation/operation-saga.js';
import { notUndone, VIM, vimLimit, WANTED_FLAVORS } from './stack-step.js';

/** Keeps what was found as if it had been granted: the VNF has these flavors from now on. */
export const keepFlavorsAction = defineInlineAction<{ found: FindFlavorsOutput }>('keep-flavors');

/** The look for flavors of the VIM, for VDUs that say how large they are and name none; none where there is no such VDU. */
export function flavorsBySize(context: SagaContext): PlanNode[] {
  const flavour = context.package.model.flavours.find(({ id }) => id === context.flavourId);
  if (flavour?.vdus.some((vdu) => saysItsSize(flavour, vdu)) !== true) return [];
  const look = stepOf(findFlavorsAction, {
    limits: vimLimit(context),
    input: { vim: sourced(VIM), wanted: sourced(WANTED_FLAVORS) },
  });
  return [notUndone(look), inlineStep(keepFlavorsAction, { found: outputOf(stepCalled(findFlavorsAction)) })];
}

/** What has to be found: of the VDUs that neither the VNFD, the grant nor the request names a flavor for. */
export const wantedFlavors = (flavour: Flavour, desired: Pick<DesiredState, 'additionalParams' | 'granted'>): WantedFlavor[] =>
  flavour.vdus
    .filter((vdu) => saysItsSize(flavour, vdu) && !isNamed(vdu, desired))
    .map((vdu) => ({ vduId: vdu.id, ...flavorSize(flavour, vdu) }));

/** Stands for the name of a flavor that is only found later. */
export const smallestFlavorFor = (vduId: string): string => `the smallest that ${vduId} fits into`;

/** The desired state with a name for each flavor that is only found later: so that a request is not refused for want of one. */
export function withPlaceholderFlavors(flavour: Flavour, desired: DesiredState): DesiredState {
  const named = wantedFlavors(flavour, desired).map(({ vduId }) => [vduId, smallestFlavorFor(vduId)] as const);
  if (named.length === 0) return desired;
  return {
    ...desired,
    granted: { ...desired.granted, flavours: { ...desired.granted?.flavours, ...Object.fromEntries(named) } },
  };
}

const ATTRIBUTES = ['flavor', 'computeFlavourId'];

/** Whether a template asks for its flavor, and its size is all that the VNFD says of it. */
function saysItsSize({ baseHot }: Flavour, { id, flavorName, virtualCpus, memoryBytes }: Vdu): boolean {
  if (flavorName !== undefined || virtualCpus === undefined || memoryBytes === undefined) return false;
  return (
    baseHot?.nfvReferences.some(
      ({ section, name, attribute }) => section === 'VDU' && name === id && ATTRIBUTES.includes(attribute),
    ) === true
  );
}

function isNamed({ id }: Vdu, { additionalParams, granted }: Pick<DesiredState, 'additionalParams' | 'granted'>): boolean {
  if (granted?.flavours !== undefined && Object.hasOwn(granted.flavours, id)) return true;
  return ATTRIBUTES.some((name) => atPointer(additionalParams ?? {}, `/nfv/VDU/${pointerToken(id)}/${name}`) !== undefined);
}
