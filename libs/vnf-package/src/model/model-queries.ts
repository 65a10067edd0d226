import { RequestError } from '@windlass/foundation';
import type { Flavour, LcmBinding, VnfPackageModel } from './model.js';

/** The flavour of that id. @throws RequestError 400 `request.unknown-flavour` at `/flavourId`. */
export function flavourOf(model: VnfPackageModel, flavourId: string): Flavour {
  const flavour = model.flavours.find(({ id }) => id === flavourId);
  if (flavour !== undefined) return flavour;
  const reason = `the VNFD ${model.vnfdId} has no flavour "${flavourId}"; it has ${model.flavours.map(({ id }) => `"${id}"`).join(', ')}`;
  throw new RequestError(400, 'request.unknown-flavour', reason, { invalidParams: [{ path: '/flavourId', reason }] });
}

/** What the flavour binds to a hook such as `instantiate_end`. */
export function bindingOf(flavour: Flavour, hook: string): LcmBinding | undefined {
  return Object.hasOwn(flavour.lcmBindings, hook) ? flavour.lcmBindings[hook] : undefined;
}

/** Names of all management drivers that the package binds, each once: the caller knows which are registered. */
export function boundDrivers(model: VnfPackageModel): string[] {
  const names = model.flavours.flatMap(({ lcmBindings }) =>
    Object.values(lcmBindings).map(({ implementation }) => implementation),
  );
  return [...new Set(names)].sort();
}
