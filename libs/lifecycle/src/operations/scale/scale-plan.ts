import { groupSizes, stackInput, vduCounts, type ComputedData, type UserDataInput } from '@windlass/user-data';
import { flavourOf, type ScaleLevel } from '@windlass/vnf-package';
import { operationTag, tagsOf, vdusInGroups } from '../../stack/heat-request.js';
import { imageRefsOf } from '../../stack/carried-images.js';
import { desiredOf, grantedInput } from '../../records/desired-state.js';
import { leavingMembers, membersOf, requireNamed } from './leaving-members.js';
import type { EarlierSize, StackUpdate, SurveyedGroup, WantedSize } from '../../stack/resize-actions.js';
import { levelsAfter, refused, takesAway, type Scaling, type ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';

/** All that a scaling does to the stack; journaled before anything is done. */
export interface ScalePlan {
  /** Levels by aspect, once it is done. */
  scaleLevels: Record<string, number>;
  wanted: WantedSize;
  /** Null where members go: a VM that is gone does not come back. */
  earlier: EarlierSize | null;
  /** What the survey found otherwise than the instance says. */
  surprises: string[];
}

/** An update of the stack replaces its tags, so the deployment's tag is among them. */
interface Tagged {
  deploymentTag: string;
  /** What a script of the package has computed for the new size. */
  computed?: ComputedData | undefined;
}

/** The tag that a stack carries once the update of an operation's undo has begun. */
export const undoTag = (operationId: string): string => `windlass-undo-${operationId}`;

/** What to ask Heat for, and which members leave, from the stack as it was found. Pure. @throws RequestError as `stackInput`, TerminalError as `requireNamed` */
export function scalePlan(context: ScalingContext & Tagged, scaling: Scaling, groups: readonly SurveyedGroup[]): ScalePlan {
  const { instance, opOcc } = context;
  const known = membersOf(instantiatedOf(instance).vnfcs);
  const size = { ...sizeAfter(context, scaling), computed: context.computed };
  const wanted: WantedSize = {
    update: updateOf(context, size, operationTag(opOcc.id)),
    sizes: groupSizes(size),
    leaving: leavingMembers(groups, groupSizes(size), known, scaling),
  };
  requireNamed(scaling.named, wanted.leaving, groups);
  const before = sizeBefore(context, scaling);
  const earlier = takesAway(context, scaling)
    ? null
    : { update: updateOf(context, before, undoTag(opOcc.id)), sizes: groupSizes(before), staying: known };
  return {
    scaleLevels: Object.fromEntries(scaling.scaleStatus.map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel])),
    wanted,
    earlier,
    surprises: surprises(groups, known, Object.keys(wanted.sizes)),
  };
}

/**
 * Everything that can be known to be wrong with the size that a scaling leads to before its 202: what Heat will be asked for is computed once.
 * @throws RequestError 400 with the field's path, 422
 */
export function checkSize(context: ScalingContext, scaling: Scaling): void {
  const size = sizeAfter(context, scaling);
  stackInput(size);
  stackInput(sizeBefore(context, scaling));
  const { vdus } = flavourOf(context.package.model, context.flavourId);
  const counts = vduCounts(size);
  const isMoved = (id: string): boolean => scaling.moves.some(({ aspect }) => aspect.deltas.some(({ vduId }) => vduId === id));
  const kept = vdus.find(
    ({ id, minInstances = 0 }) =>
      minInstances > 0 && counts[id] === 0 && (scaling.instantiationLevelId !== undefined || isMoved(id)),
  );
  if (kept === undefined) return;
  const reason = `can't scale in: no ${kept.id} would be left, and the VNFD's vdu_profile wants at least ${kept.minInstances ?? 0} (min_number_of_instances)`;
  throw refused(scaling.field, 'scale.empty-group', reason);
}

/** What the stack is made from once it is scaled. A level that was named sizes every group. */
function sizeAfter(context: ScalingContext, scaling: Scaling): UserDataInput {
  const { scaleStatus, instantiationLevelId, field } = scaling;
  const size = { ...sizedAs(context, scaleStatus), sizeField: field, scripted: scaling.scripted };
  if (instantiationLevelId === undefined) return { ...size, vduCounts: countsOfOthers(context, scaling) };
  return { ...size, request: { ...size.request, instantiationLevelId } };
}

/** What the stack is made from while the aspects are at their present levels. */
const sizeBefore = (context: ScalingContext, scaling: Scaling): UserDataInput => ({
  ...sizedAs(
    context,
    levelsAfter(flavourOf(context.package.model, context.flavourId), instantiatedOf(context.instance).info, []),
  ),
  sizeField: scaling.field,
  scripted: scaling.scripted,
  vduCounts: countsOfOthers(context, scaling),
});

function sizedAs(context: ScalingContext, scaleStatus: readonly ScaleLevel[]): UserDataInput {
  const desired = desiredOf(context.instance);
  return {
    flavour: flavourOf(context.package.model, context.flavourId),
    request: desired,
    scaleStatus,
    computed: desired.computed,
    resizes: true,
    ...grantedInput(desired, imageRefsOf(context)),
  };
}

/** The present counts of VDUs whose aspects do not move, and of VDUs without an aspect. */
function countsOfOthers({ instance, package: { model }, flavourId }: ScalingContext, { moves }: Scaling): Record<string, number> {
  const { vnfcs } = instantiatedOf(instance);
  const moved = new Set(moves.flatMap(({ aspect }) => aspect.deltas.map(({ vduId }) => vduId)));
  const others = vdusInGroups(flavourOf(model, flavourId)).filter((vduId) => !moved.has(vduId));
  return Object.fromEntries(others.map((vduId) => [vduId, vnfcs.filter((vnfc) => vnfc.vduId === vduId).length]));
}

function updateOf({ instance, deploymentTag }: ScalingContext & Tagged, size: UserDataInput, last: string): StackUpdate {
  const { template, files, parameters } = stackInput(size);
  return { template, files, parameters, tags: tagsOf(instance.id, deploymentTag, last) };
}

/** Where the stack differs from the instance's record, because of a late write of an earlier operation, or of somebody else. */
function surprises(groups: readonly SurveyedGroup[], known: ReturnType<typeof membersOf>, ours: readonly string[]): string[] {
  const there = groups.filter(({ name }) => ours.includes(name));
  const strange = there.flatMap(({ name, members }) =>
    members
      .filter((member) => !known.some((each) => each.group === name && each.member === member.name))
      .map((member) => `the stack has a member ${member.name} of ${name} that the VNF instance did not list`),
  );
  const lost = known
    .filter(({ group, member }) =>
      there.some(({ name, members }) => name === group && members.every((each) => each.name !== member)),
    )
    .map(({ group, member }) => `the stack has no member ${member} of ${group} any more, which the VNF instance listed`);
  return [...strange, ...lost];
}
