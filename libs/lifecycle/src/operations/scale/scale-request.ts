import { RequestError, type JsonObject } from '@windlass/foundation';
import { ScaleVnfRequestBody, validated } from '@windlass/sol003';
import { desiredCounts, flavourOf, groupSize, type Flavour, type ScalingAspect } from '@windlass/vnf-package';
import { scriptOf } from '../../shared-steps/user-data/script-step.js';
import type { ScriptUse } from '../../operation/script-use.js';
import { LEAVING_VNFCS, namedLeavers } from './named-leavers.js';
import {
  knownAspect,
  leavesFirst,
  levelOf,
  levelsAfter,
  refused,
  requireScalable,
  type Scaling,
  type ScalingContext,
} from './scaling.js';
import { vdusInGroups } from '../../stack/heat-request.js';
import { instantiatedOf } from '../../records/instantiated.js';

/**
 * Where a scaling by steps leads to.
 * @throws RequestError 409 `vnf-instance.not-scalable` for a VNF without aspects; 400 `scale.unknown-aspect`, `scale.out-of-range`, and as
 * {@link requireScalable}
 */
export function scalingBySteps(context: ScalingContext): Scaling {
  const { instance, package: record, flavourId, opOcc } = context;
  const { model } = record;
  const flavour = flavourOf(model, flavourId);
  const now = instantiatedOf(instance);
  const { info } = now;
  const request = validated(ScaleVnfRequestBody, opOcc.request);
  if ((info.scaleStatus ?? []).length === 0) {
    const detail = `the flavour "${flavour.id}" has no scaling aspect: this VNF can't be scaled`;
    throw new RequestError(409, 'vnf-instance.not-scalable', detail);
  }
  const aspect = knownAspect(flavour, request.aspectId, '/aspectId');
  const scripted = scriptOf({ instance, opOcc }, scaleScript) !== undefined;
  requireScalable(flavour, aspect, '/aspectId', now, scripted);
  const from = levelOf(info, aspect.id);
  const steps = request.numberOfSteps ?? 1;
  const to = request.type === 'SCALE_OUT' ? from + steps : from - steps;
  if (to < 0 || to > aspect.maxScaleLevel) {
    const [way, more] = request.type === 'SCALE_OUT' ? ['out', 'more'] : ['in', 'fewer'];
    const stands = `the aspect "${aspect.id}" stands at level ${from} of 0 to ${aspect.maxScaleLevel}`;
    throw refused('/numberOfSteps', 'scale.out-of-range', `can't scale ${way}: ${stands}, ${steps} ${more} would be ${to}`);
  }
  const moves = [{ aspect, from, to }];
  const params = request.additionalParams as JsonObject | undefined;
  const scaling = {
    moves,
    scaleStatus: levelsAfter(flavour, info, moves),
    field: '/numberOfSteps',
    leavesFirst: leavesFirst(params),
    scripted,
  };
  if (now.objects === undefined) refuseChoice(flavour, aspect, params);
  return { ...scaling, named: namedLeavers(context, scaling, params) };
}

/** A script computes the stack for the size that it is scaled to. */
export const scaleScript: ScriptUse = {
  method: () => 'scale',
  input: (context) => {
    const { moves, scaleStatus } = scalingBySteps(context);
    const flavour = flavourOf(context.package.model, context.flavourId);
    return { scaleStatus, desiredCapacity: capacityAfter(flavour, { moves, scaleStatus }) };
  },
};

/** Members that the group of the scaled aspect will have. */
function capacityAfter(flavour: Flavour, { moves, scaleStatus }: Pick<Scaling, 'moves' | 'scaleStatus'>): number | null {
  const vduIds = moves.flatMap(({ aspect }) => aspect.deltas.map(({ vduId }) => vduId));
  const group = flavour.baseHot?.groups.find((each) => each.vduIds.some((id) => vduIds.includes(id)));
  if (group === undefined) return null;
  return groupSize(group, desiredCounts(flavour, { scaleStatus })) ?? null;
}

/** Refuses a choice among copies that a script makes: the copy with the highest number leaves, because the next new copy gets that number again. */
function refuseChoice(flavour: Flavour, { deltas }: ScalingAspect, params: JsonObject | undefined): void {
  const grouped = new Set(vdusInGroups(flavour));
  const copied = deltas.find(({ vduId }) => !grouped.has(vduId));
  const key = params?.[LEAVING_VNFCS] !== undefined ? LEAVING_VNFCS : isOldest(params) ? 'is_reverse' : undefined;
  if (copied === undefined || key === undefined) return;
  const reason = `a script of the package makes each "${copied.vduId}", and of them the one with the highest vdu_idx leaves: leave it out`;
  throw refused(`/additionalParams/${key}`, 'scale.wrong-leaver', reason);
}

const isOldest = (params: JsonObject | undefined): boolean => leavesFirst(params) === 'oldest';
