import type { ScaleInfo } from '@windlass/sol003';
import type { VnfModel } from './vnf-model.js';

type Levels = Readonly<Record<string, number>> | undefined;

/**
 * The levels of the aspects: the recorded levels, as long as the VNF has the VNFCs for them. After a failed scaling VNFCs are counted: a level is
 * reached when all of its VDUs have reached it. @param has how many VNFCs a VDU has
 */
export const scaleStatusOfCounts = (model: VnfModel, has: (vduId: string) => number, levels: Levels): ScaleInfo[] =>
  model.aspects.map((aspect) => {
    const scaled = aspect.vdus.filter(({ delta }) => delta > 0);
    const known = levels?.[aspect.id];
    const agrees = scaled.every(({ vduId, initial }) => has(vduId) === initial + stepsOf(model, vduId, levels));
    if (known !== undefined && agrees) return { aspectId: aspect.id, scaleLevel: known };
    const reached = scaled.map(({ vduId, initial, delta }) => Math.max(0, Math.floor((has(vduId) - initial) / delta)));
    return { aspectId: aspect.id, scaleLevel: reached.length === 0 ? 0 : Math.min(...reached) };
  });

/** How many instances the levels of all aspects add to a VDU. */
const stepsOf = ({ aspects }: VnfModel, vduId: string, levels: Levels): number =>
  aspects.reduce((sum, { id, vdus }) => {
    const delta = vdus.find((vdu) => vdu.vduId === vduId)?.delta ?? 0;
    return sum + delta * (levels?.[id] ?? 0);
  }, 0);
