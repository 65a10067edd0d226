import { desiredCounts } from '../scaling.js';
import type { Flavour, Vdu } from '../vnfd/model.js';

/** How few and how many instances of a VDU the VNFD may ever want. */
export function sizesOf(flavour: Flavour, vdu: Vdu): { min: number; max: number } {
  const at = (level: (aspect: { maxScaleLevel: number }) => number): number | undefined =>
    desiredCounts(flavour, {
      scaleStatus: flavour.scalingAspects.map((aspect) => ({ aspectId: aspect.id, scaleLevel: level(aspect) })),
    })[vdu.id];
  const levels = flavour.instantiationLevels.map(({ id }) => desiredCounts(flavour, { instantiationLevelId: id })[vdu.id]);
  const scaled = flavour.scalingAspects.some(({ deltas }) => deltas.some(({ vduId }) => vduId === vdu.id));
  const byAspects = scaled ? [at(() => 0), at(({ maxScaleLevel }) => maxScaleLevel)] : [];
  const counts = [desiredCounts(flavour)[vdu.id], ...levels, ...byAspects].filter((count) => count !== undefined);
  return { min: Math.min(...counts), max: Math.max(...counts) };
}

/** The name of a VDU's group: the aspect's where it scales only this VDU, as packages with templates have it. */
export function groupName({ scalingAspects }: Flavour, vduId: string): string {
  const aspects = scalingAspects.filter(({ deltas }) => deltas.some((delta) => delta.vduId === vduId));
  const [only] = aspects;
  return aspects.length === 1 && only?.deltas.length === 1 ? only.id : `${vduId}_group`;
}
