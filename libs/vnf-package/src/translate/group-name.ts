import type { Flavour } from '../model/model.js';

/** The name of a VDU's group: the aspect's where it scales only this VDU, as packages with templates have it. */
export function groupName({ scalingAspects }: Flavour, vduId: string): string {
  const aspects = scalingAspects.filter(({ deltas }) => deltas.some((delta) => delta.vduId === vduId));
  const [only] = aspects;
  return aspects.length === 1 && only?.deltas.length === 1 ? only.id : `${vduId}_group`;
}
