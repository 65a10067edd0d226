import { RequestError, type JsonObject } from '@windlass/foundation';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import { baseHotOf } from '@windlass/user-data';
import { desiredCounts, flavourOf, type Flavour, type ScaleLevel, type ScalingAspect } from '@windlass/vnf-package';
import type { InstantiatedState, OpOccRecord } from '../../records/records.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { workloadsOf } from '../../kubernetes/workloads.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { vdusInGroups } from '../../stack/heat-request.js';
import type { MemberName } from '../../stack/resize-actions.js';

/** What a scaling is computed from, whichever operation asks for it. */
export type ScalingContext = Pick<SagaContext, 'instance' | 'package' | 'flavourId'> & {
  opOcc: Pick<OpOccRecord, 'id' | 'request'>;
};

/** What a request to scale comes to. */
export interface Scaling {
  /** The aspects that the request names, with their present and wanted levels. The VDUs of other aspects keep their counts. */
  moves: AspectMove[];
  /** All aspects as they shall stand. */
  scaleStatus: ScaleLevel[];
  /** The level that was named, where one was. It sizes the VDUs that no aspect scales, too. */
  instantiationLevelId?: string;
  /** The field that says how large the VNF shall be. */
  field: string;
  /** Which members of a group leave first, after those that are named. */
  leavesFirst: 'newest' | 'oldest';
  /** Members that the request names to leave. */
  named: MemberName[];
  /** A script of the package says what there is of the VDUs that stand in no group. */
  scripted?: boolean;
}

export interface AspectMove {
  aspect: ScalingAspect;
  from: number;
  to: number;
}

/** What is wrong with one field of a request to scale. */
export const refused = (path: string, code: string, reason: string): RequestError =>
  new RequestError(400, code, `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/** @throws RequestError 400 `scale.unknown-aspect` at that field */
export function knownAspect(flavour: Flavour, id: string, path: string): ScalingAspect {
  const aspect = flavour.scalingAspects.find((candidate) => candidate.id === id);
  if (aspect !== undefined) return aspect;
  const known = flavour.scalingAspects.map((each) => `"${each.id}"`).join(', ');
  throw refused(path, 'scale.unknown-aspect', `the flavour "${flavour.id}" has no aspect "${id}"; it has ${known}`);
}

/**
 * @throws RequestError 400 `scale.no-delta` where the VNFD does not say what a step adds, `scale.not-a-group` where the templates can't follow,
 * `scale.not-a-workload` where nothing on the cluster can
 * @param scripted whether a script of the package makes the templates for it
 */
export function requireScalable(
  flavour: Flavour,
  { id, deltas }: ScalingAspect,
  path: string,
  { objects }: Pick<InstantiatedState, 'objects'>,
  scripted = false,
): void {
  const without = deltas.find(({ instances }) => instances < 1);
  if (deltas.length === 0 || without !== undefined) {
    const whose = without === undefined ? 'any VDU' : `the VDU "${without.vduId}"`;
    throw refused(path, 'scale.no-delta', `the VNFD says of no step of "${id}" how many instances it adds to ${whose}`);
  }
  if (objects !== undefined) {
    const none = deltas.find(({ vduId }) => workloadsOf(flavour, objects, vduId).length === 0);
    if (none === undefined) return;
    const what = `no Deployment, StatefulSet or ReplicaSet of this VNF is of the VDU "${none.vduId}" of the aspect "${id}"`;
    throw refused(path, 'scale.not-a-workload', `${what}: name one in the manifests as the VDU is`);
  }
  if (scripted) return;
  const { groups } = baseHotOf(flavour);
  const alone = deltas.find(({ vduId }) => !groups.some(({ vduIds }) => vduIds.includes(vduId)));
  if (alone === undefined) return;
  const reason = `the VDU "${alone.vduId}" of the aspect "${id}" stands in no auto scaling group of the package's templates`;
  throw refused(path, 'scale.not-a-group', reason);
}

/** Where an aspect stands. */
export const levelOf = ({ scaleStatus = [] }: Pick<InstantiatedVnfInfo, 'scaleStatus'>, aspectId: string): number =>
  scaleStatus.find((each) => each.aspectId === aspectId)?.scaleLevel ?? 0;

/** Where all aspects of the flavour stand once some of them have moved. */
export const levelsAfter = (
  flavour: Flavour,
  info: Pick<InstantiatedVnfInfo, 'scaleStatus'>,
  moves: readonly AspectMove[],
): ScaleLevel[] =>
  flavour.scalingAspects.map(({ id }) => ({
    aspectId: id,
    scaleLevel: moves.find(({ aspect }) => aspect.id === id)?.to ?? levelOf(info, id),
  }));

/** The key of `additionalParams` that says which members leave first. */
export const LEAVES_FIRST = 'is_reverse';

/** `is_reverse` as the reference system reads it: "False" is Heat's own order. See ADR 15. */
export function leavesFirst(params: JsonObject | undefined): Scaling['leavesFirst'] {
  const given = params?.[LEAVES_FIRST];
  if (given === undefined || given === true || given === 'True') return 'newest';
  if (given === false || given === 'False') return 'oldest';
  throw refused(
    '/additionalParams/is_reverse',
    'request.invalid',
    'expected "True" (the newest leave first) or "False" (the oldest)',
  );
}

/** The VDUs whose number of VNFCs can change, depending on what the VNF is made of. */
const scalableVdus = (flavour: Flavour, { objects }: InstantiatedState): string[] =>
  objects === undefined
    ? vdusInGroups(flavour)
    : flavour.vdus.map(({ id }) => id).filter((id) => workloadsOf(flavour, objects, id).length > 0);

/** How many instances of each VDU are added, by the record; a negative number of them is removed. */
export function changesOf(
  { instance, package: { model }, flavourId }: ScalingContext,
  scaling: Omit<Scaling, 'named'>,
): Record<string, number> {
  const changes: Record<string, number> = {};
  for (const { aspect, from, to } of scaling.moves)
    for (const { vduId, instances } of aspect.deltas) changes[vduId] = (changes[vduId] ?? 0) + (to - from) * instances;
  const { instantiationLevelId, scaleStatus } = scaling;
  if (instantiationLevelId === undefined) return changes;
  const flavour = flavourOf(model, flavourId);
  const counts = desiredCounts(flavour, { instantiationLevelId, scaleStatus });
  const now = instantiatedOf(instance);
  const { vnfcs } = now;
  const byLevelAlone = scalableVdus(flavour, now).filter((vduId) => !Object.hasOwn(changes, vduId));
  for (const vduId of byLevelAlone) changes[vduId] = (counts[vduId] ?? 0) - vnfcs.filter((vnfc) => vnfc.vduId === vduId).length;
  return changes;
}

/** Whether VMs go, which no roll-back brings back. */
export const takesAway = (context: ScalingContext, scaling: Scaling): boolean =>
  Object.values(changesOf(context, scaling)).some((change) => change < 0);
