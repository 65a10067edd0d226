import type { JsonObject } from '@windlass/foundation';
import { ScaleVnfToLevelRequestBody, validated } from '@windlass/sol003';
import { flavourOf, type Flavour } from '@windlass/vnf-package';
import type { InstantiatedState } from '../../records/records.js';
import { namedLeavers } from '../scale/named-leavers.js';
import {
  knownAspect,
  leavesFirst,
  levelOf,
  levelsAfter,
  refused,
  requireScalable,
  type AspectMove,
  type Scaling,
  type ScalingContext,
} from '../scale/scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';

/** A level of one aspect, and the fields that name both. */
interface Target {
  aspectId: string;
  scaleLevel: number;
  aspectField: string;
  levelField: string;
}

/**
 * Where a scaling to a level leads to. A level that is named says where every aspect shall stand; of a list those aspects move that are in it.
 * @throws RequestError 400 `scale.unknown-level`, `scale.unknown-aspect`, `scale.out-of-range`; of an aspect that moves as {@link requireScalable}
 */
export function scalingToLevel(context: ScalingContext): Scaling {
  const { instance, package: record, flavourId, opOcc } = context;
  const { model } = record;
  const flavour = flavourOf(model, flavourId);
  const now = instantiatedOf(instance);
  const { instantiationLevelId, scaleInfo = [], additionalParams } = validated(ScaleVnfToLevelRequestBody, opOcc.request);
  const targets =
    instantiationLevelId === undefined
      ? scaleInfo.map((each, index): Target => {
          const at = `/scaleInfo/${index}`;
          return { ...each, aspectField: `${at}/aspectId`, levelField: `${at}/scaleLevel` };
        })
      : targetsOf(flavour, instantiationLevelId);
  const moves = targets.map((target) => moveTo(flavour, target, now));
  const params = additionalParams as JsonObject | undefined;
  const scaling = {
    moves,
    scaleStatus: levelsAfter(flavour, now.info, moves),
    ...(instantiationLevelId === undefined ? {} : { instantiationLevelId }),
    field: instantiationLevelId === undefined ? '/scaleInfo' : LEVEL,
    leavesFirst: leavesFirst(params),
  };
  return { ...scaling, named: namedLeavers(context, scaling, params) };
}

const LEVEL = '/instantiationLevelId';

/** Every aspect, as an instantiation at the level has it: one that the level leaves out stands at 0. */
function targetsOf(flavour: Flavour, id: string): Target[] {
  const level = flavour.instantiationLevels.find((candidate) => candidate.id === id);
  if (level === undefined) {
    const known = flavour.instantiationLevels.map((each) => `"${each.id}"`).join(', ');
    const has = known === '' ? 'none' : known;
    throw refused(LEVEL, 'scale.unknown-level', `the flavour "${flavour.id}" has no instantiation level "${id}"; it has ${has}`);
  }
  return flavour.scalingAspects.map((aspect) => ({
    aspectId: aspect.id,
    scaleLevel: level.scaleLevels.find(({ aspectId }) => aspectId === aspect.id)?.scaleLevel ?? 0,
    aspectField: LEVEL,
    levelField: LEVEL,
  }));
}

function moveTo(
  flavour: Flavour,
  { aspectId, scaleLevel: to, aspectField, levelField }: Target,
  now: InstantiatedState,
): AspectMove {
  const aspect = knownAspect(flavour, aspectId, aspectField);
  if (to > aspect.maxScaleLevel) {
    const reason = `the aspect "${aspectId}" can stand at levels 0 to ${aspect.maxScaleLevel}, not at ${to}`;
    throw refused(levelField, 'scale.out-of-range', reason);
  }
  const from = levelOf(now.info, aspectId);
  // What no aspect sizes, a level sizes by itself.
  const byLevelAlone = aspectField === LEVEL && aspect.deltas.length === 0;
  if (from !== to && !byLevelAlone) requireScalable(flavour, aspect, aspectField, now);
  return { aspect, from, to };
}
