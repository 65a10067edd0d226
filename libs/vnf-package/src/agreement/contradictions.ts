import type { PackageWarning } from '../refusals/package-error.js';
import { countByAspects, instancesOf, scales, sizedByProfileAlone } from '../model/scaling.js';
import type { Flavour, Vdu } from '../model/model.js';

/**
 * What a flavour says of numbers of instances in two ways, and aspects that scale nothing. All of it is legible, so that nothing is refused; whoever
 * scales the VNF would see other numbers than the VNFD seems to say.
 */
export function contradictions(flavour: Flavour): PackageWarning[] {
  return [...idleAspects(flavour), ...flavour.vdus.flatMap((vdu) => [...ofLevels(flavour, vdu), ...ofProfile(flavour, vdu)])];
}

const warning = ({ file }: Flavour, id: string, code: string, reason: string): PackageWarning => ({
  code,
  subject: `${file}, ${id}`,
  reason,
});

const idleAspects = (flavour: Flavour): PackageWarning[] =>
  flavour.scalingAspects
    .filter(({ deltas }) => deltas.every(({ instances }) => instances === 0))
    .map(({ id }) => {
      const reason =
        'the aspect scales nothing: no VduScalingAspectDeltas policy gives it a VDU and a number of instances above 0';
      return warning(flavour, id, 'vnfd.idle-aspect', reason);
    });

/** A level is entered with the number of its VduInstantiationLevels; from there on scaling counts by the aspects. */
function ofLevels(flavour: Flavour, { id }: Vdu): PackageWarning[] {
  if (!flavour.scalingAspects.some((aspect) => scales(aspect, id))) return [];
  return flavour.instantiationLevels.flatMap((level) => {
    const given = level.vduInstances.find(({ vduId }) => vduId === id)?.instances;
    const counted = countByAspects(flavour, id, level.scaleLevels);
    if (given === undefined || counted === undefined || given === counted) return [];
    const reason = `at the level "${level.id}" its VduInstantiationLevels give ${given} instances, and its scale_info, by initial delta and deltas, ${counted}: it is instantiated with ${given}, and the first scaling counts from ${counted}; make them the same`;
    return [warning(flavour, id, 'vnfd.level-differs', reason)];
  });
}

function ofProfile(flavour: Flavour, vdu: Vdu): PackageWarning[] {
  const { min, max } = instancesOf(flavour, vdu);
  if (max === 0) {
    const reason =
      'nothing ever makes an instance of it: give it a min_number_of_instances above 0, or policies by which it is instantiated or scaled';
    return [warning(flavour, vdu.id, 'vnfd.no-instances', reason)];
  }
  if (sizedByProfileAlone(flavour, vdu)) return [];
  const { minInstances: least = min, maxInstances: most = max } = vdu;
  if (min >= least && max <= most) return [];
  const reason = `its vdu_profile permits ${least} to ${most} instances, and its policies want ${min} to ${max}: the policies count; correct one of them`;
  return [warning(flavour, vdu.id, 'vnfd.outside-profile', reason)];
}
