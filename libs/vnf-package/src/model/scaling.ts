import { RequestError } from '@windlass/foundation';
import type { HotGroup } from '../hot/hot-resources.js';
import type { Flavour, InstantiationLevel, ScalingAspect, Vdu } from './model.js';

/** How far an aspect is scaled (SOL003 5.5.3.4, ScaleInfo). */
export interface ScaleLevel {
  aspectId: string;
  scaleLevel: number;
}

/** The size wanted of a VNF: an instantiation level (none: the default one), or where its aspects stand now. */
export interface WantedSize {
  instantiationLevelId?: string | undefined;
  /** Wins over the level for every VDU that an aspect scales. */
  scaleStatus?: readonly ScaleLevel[] | undefined;
}

/**
 * Instances wanted of each VDU, by VDU id.
 *
 * An instantiation level gives them by `VduInstantiationLevels`, else by its scale levels. A scale status gives them as
 * `VduInitialDelta + delta x level`, summed over the aspects; a VDU that no aspect scales keeps the number of its level. One of which neither
 * says anything has the least that its `vdu_profile` permits; without that, one.
 * @throws RequestError 400 `scale.unknown-level`, `scale.unknown-aspect`, `scale.out-of-range`.
 */
export function desiredCounts(flavour: Flavour, wanted: WantedSize = {}): Record<string, number> {
  const level = instantiationLevel(flavour, wanted.instantiationLevelId);
  const { scaleStatus } = wanted;
  for (const { aspectId, scaleLevel } of scaleStatus ?? []) checkScaleLevel(flavour, aspectId, scaleLevel);
  const counts = flavour.vdus.map((vdu) => {
    const { id } = vdu;
    const byAspects = countByAspects(flavour, id, scaleStatus ?? level?.scaleLevels ?? []);
    const byLevel = level?.vduInstances.find(({ vduId }) => vduId === id)?.instances;
    const scaled = scaleStatus !== undefined && flavour.scalingAspects.some((aspect) => scales(aspect, id));
    return [id, (scaled ? byAspects : (byLevel ?? byAspects)) ?? vdu.minInstances ?? 1] as const;
  });
  return Object.fromEntries(counts);
}

/** How few and how many instances of a VDU the VNFD may ever want: by itself, at an instantiation level, with the aspects lowest or highest. */
export function instancesOf(flavour: Flavour, vdu: Vdu): { min: number; max: number } {
  const withAll = (level: (aspect: ScalingAspect) => number): WantedSize => ({
    scaleStatus: flavour.scalingAspects.map((aspect) => ({ aspectId: aspect.id, scaleLevel: level(aspect) })),
  });
  const byAspects = flavour.scalingAspects.some((aspect) => scales(aspect, vdu.id))
    ? [withAll(() => 0), withAll(({ maxScaleLevel }) => maxScaleLevel)]
    : [];
  const levels = flavour.instantiationLevels.map(({ id }) => ({ instantiationLevelId: id }));
  const counts = [{}, ...levels, ...byAspects].map((wanted) => desiredCounts(flavour, wanted)[vdu.id] ?? 1);
  return { min: Math.min(...counts), max: Math.max(...counts) };
}

/** The most instances that each VDU can have, by VDU id. */
export const mostInstances = (flavour: Flavour): Record<string, number> =>
  Object.fromEntries(flavour.vdus.map((vdu) => [vdu.id, instancesOf(flavour, vdu).max]));

/** Whether `vdu_profile` is all that the VNFD says of a VDU's number. */
export const sizedByProfileAlone = ({ scalingAspects, instantiationLevels }: Flavour, { id, initialInstances }: Vdu): boolean =>
  initialInstances === undefined &&
  !scalingAspects.some((aspect) => scales(aspect, id)) &&
  !instantiationLevels.some(({ vduInstances }) => vduInstances.some(({ vduId }) => vduId === id));

/** Whether a template that always makes so many servers of a VDU is what the VNFD wants. */
export function permitsFixed(flavour: Flavour, vdu: Vdu, servers: number, wanted: number): boolean {
  if (servers === wanted) return true;
  const { minInstances = 1, maxInstances = minInstances } = vdu;
  return sizedByProfileAlone(flavour, vdu) && servers >= minInstances && servers <= maxInstances;
}

/** Whether a step of the aspect changes the VDU. */
export const scales = (aspect: ScalingAspect, id: string): boolean => aspect.deltas.some(({ vduId }) => vduId === id);

/** `VduInitialDelta + delta x level`; undefined for a VDU that neither has. */
export function countByAspects(flavour: Flavour, vduId: string, levels: readonly ScaleLevel[]): number | undefined {
  const vdu = flavour.vdus.find(({ id }) => id === vduId);
  const aspects = flavour.scalingAspects.filter((aspect) => scales(aspect, vduId));
  if (vdu?.initialInstances === undefined && aspects.length === 0) return undefined;
  const added = aspects.map((aspect) => {
    const level = levels.find(({ aspectId }) => aspectId === aspect.id)?.scaleLevel ?? 0;
    const delta = aspect.deltas.find((candidate) => candidate.vduId === vduId)?.instances ?? 0;
    return level * delta;
  });
  return added.reduce((sum, count) => sum + count, vdu?.initialInstances ?? vdu?.minInstances ?? 1);
}

/** The level of that id, or the default one; undefined where the flavour has no levels. @throws RequestError 400 for an unknown id. */
export function instantiationLevel(flavour: Flavour, id?: string): InstantiationLevel | undefined {
  const wanted = id ?? flavour.defaultInstantiationLevelId;
  if (wanted === undefined) return undefined;
  const level = flavour.instantiationLevels.find((candidate) => candidate.id === wanted);
  if (level !== undefined) return level;
  const known = flavour.instantiationLevels.map((candidate) => `"${candidate.id}"`).join(', ');
  const reason = `the flavour "${flavour.id}" has no instantiation level "${wanted}"; it has ${known === '' ? 'none' : known}`;
  throw new RequestError(400, 'scale.unknown-level', reason, { invalidParams: [{ path: '/instantiationLevelId', reason }] });
}

/** Where every aspect of the flavour stands after an instantiation at a level. @throws RequestError 400 for an unknown level. */
export function scaleStatusOf(flavour: Flavour, instantiationLevelId?: string): (ScaleLevel & { maxScaleLevel: number })[] {
  const level = instantiationLevel(flavour, instantiationLevelId);
  return flavour.scalingAspects.map(({ id, maxScaleLevel }) => ({
    aspectId: id,
    scaleLevel: level?.scaleLevels.find(({ aspectId }) => aspectId === id)?.scaleLevel ?? 0,
    maxScaleLevel,
  }));
}

/**
 * The aspect of that id. @throws RequestError 400 `scale.unknown-aspect`; or `scale.out-of-range` where the level is below 0 or
 * above the aspect's maximum.
 */
export function checkScaleLevel(flavour: Flavour, aspectId: string, scaleLevel: number): ScalingAspect {
  const aspect = flavour.scalingAspects.find(({ id }) => id === aspectId);
  if (aspect === undefined) {
    const known = flavour.scalingAspects.map(({ id }) => `"${id}"`).join(', ');
    const reason = `the flavour "${flavour.id}" has no scaling aspect "${aspectId}"; it has ${known === '' ? 'none' : known}`;
    throw new RequestError(400, 'scale.unknown-aspect', reason, { invalidParams: [{ path: '/aspectId', reason }] });
  }
  if (!Number.isInteger(scaleLevel) || scaleLevel < 0 || scaleLevel > aspect.maxScaleLevel) {
    const reason = `the aspect "${aspectId}" can stand at levels 0 to ${aspect.maxScaleLevel}, not at ${scaleLevel}`;
    throw new RequestError(400, 'scale.out-of-range', reason, { invalidParams: [{ path: '/numberOfSteps', reason }] });
  }
  return aspect;
}

/** Members wanted of a group: as many as its VDU wants instances. Undefined for a group without a VDU of the flavour. */
export function groupSize(group: HotGroup, counts: Readonly<Record<string, number>>): number | undefined {
  const vduId = group.vduIds.find((id) => Object.hasOwn(counts, id));
  return vduId === undefined ? undefined : counts[vduId];
}
