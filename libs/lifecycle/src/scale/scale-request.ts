import { RequestError, type JsonObject } from '@windlass/foundation';
import type { InstantiatedVnfInfo, ScaleVnfRequest } from '@windlass/sol003';
import { baseHotOf } from '@windlass/user-data';
import type { Flavour, ScaleLevel, ScalingAspect } from '@windlass/vnf-package';

/** What a scale request comes to. */
export interface Scaling {
  aspect: ScalingAspect;
  /** Where the aspect stands, and where it shall stand. */
  from: number;
  to: number;
  /** All aspects as they shall stand. */
  scaleStatus: ScaleLevel[];
  /** Which members of a group leave first. */
  leavesFirst: 'newest' | 'oldest';
}

/** What is wrong with one field of a scale request. */
export const refused = (path: string, code: string, reason: string): RequestError =>
  new RequestError(400, code, `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/**
 * Where a scale request leads to.
 * @throws RequestError 409 `vnf-instance.not-scalable` for a VNF without aspects; 400 `scale.unknown-aspect`, `scale.out-of-range`,
 * `scale.no-delta` where the VNFD does not say what a step adds, `scale.not-a-group` where the templates can't follow.
 */
export function scalingOf(flavour: Flavour, info: Pick<InstantiatedVnfInfo, 'scaleStatus'>, request: ScaleVnfRequest): Scaling {
  const status = info.scaleStatus ?? [];
  if (status.length === 0) {
    const detail = `the flavour "${flavour.id}" has no scaling aspect: this VNF can't be scaled`;
    throw new RequestError(409, 'vnf-instance.not-scalable', detail);
  }
  const aspect = aspectOf(flavour, request.aspectId);
  const from = status.find(({ aspectId }) => aspectId === aspect.id)?.scaleLevel ?? 0;
  const steps = request.numberOfSteps ?? 1;
  const to = request.type === 'SCALE_OUT' ? from + steps : from - steps;
  if (to < 0 || to > aspect.maxScaleLevel) {
    const [way, more] = request.type === 'SCALE_OUT' ? ['out', 'more'] : ['in', 'fewer'];
    const stands = `the aspect "${aspect.id}" stands at level ${from} of 0 to ${aspect.maxScaleLevel}`;
    throw refused('/numberOfSteps', 'scale.out-of-range', `can't scale ${way}: ${stands}, ${steps} ${more} would be ${to}`);
  }
  return {
    aspect,
    from,
    to,
    scaleStatus: levelsWith(flavour, status, aspect.id, to),
    leavesFirst: leavesFirst(request.additionalParams as JsonObject | undefined),
  };
}

function aspectOf(flavour: Flavour, id: string): ScalingAspect {
  const aspect = flavour.scalingAspects.find((candidate) => candidate.id === id);
  if (aspect === undefined) {
    const known = flavour.scalingAspects.map((each) => `"${each.id}"`).join(', ');
    throw refused('/aspectId', 'scale.unknown-aspect', `the flavour "${flavour.id}" has no aspect "${id}"; it has ${known}`);
  }
  const without = aspect.deltas.find(({ instances }) => instances < 1);
  if (aspect.deltas.length === 0 || without !== undefined) {
    const whose = without === undefined ? 'any VDU' : `the VDU "${without.vduId}"`;
    throw refused('/aspectId', 'scale.no-delta', `the VNFD says of no step of "${id}" how many instances it adds to ${whose}`);
  }
  const { groups } = baseHotOf(flavour);
  const alone = aspect.deltas.find(({ vduId }) => !groups.some(({ vduIds }) => vduIds.includes(vduId)));
  if (alone === undefined) return aspect;
  const reason = `the VDU "${alone.vduId}" of the aspect "${id}" stands in no auto scaling group of the package's templates`;
  throw refused('/aspectId', 'scale.not-a-group', reason);
}

/** Where all aspects of the flavour stand with one of them at another level. */
export const levelsWith = (
  flavour: Flavour,
  status: readonly { aspectId: string; scaleLevel: number }[],
  aspectId: string,
  level: number,
): ScaleLevel[] =>
  flavour.scalingAspects.map(({ id }) => ({
    aspectId: id,
    scaleLevel: id === aspectId ? level : (status.find((each) => each.aspectId === id)?.scaleLevel ?? 0),
  }));

/** `is_reverse` as the reference system reads it: "False" is Heat's own order. See ADR 15. */
function leavesFirst(params: JsonObject | undefined): Scaling['leavesFirst'] {
  const given = params?.is_reverse;
  if (given === undefined || given === true || given === 'True') return 'newest';
  if (given === false || given === 'False') return 'oldest';
  throw refused(
    '/additionalParams/is_reverse',
    'request.invalid',
    'expected "True" (the newest leave first) or "False" (the oldest)',
  );
}
