import { InvariantError, type JsonObject } from '@windlass/foundation';
import type { ScaleVnfRequest } from '@windlass/sol003';
import { groupSizes, stackInput, type UserDataInput } from '@windlass/user-data';
import { flavourOf, type Flavour } from '@windlass/vnf-package';
import { operationTag, STACK_TIMEOUT_MINUTES } from '../instantiate/heat-request.js';
import { imageRefsOf } from '../instantiate/instantiate.saga.js';
import { desiredOf, grantedInput } from '../model/desired-state.js';
import { vnfTag } from '../model/names.js';
import type { InstantiatedState, OpOccRecord, VnfInstanceRecord } from '../model/records.js';
import type { SagaContext } from '../saga/operation-saga.js';
import { leavingMembers, membersOf } from './leaving-members.js';
import type { EarlierSize, StackUpdate, SurveyedGroup, WantedSize } from './resize-actions.js';
import { levelsWith, refused, scalingOf, type Scaling } from './scale-request.js';

/** All that a scaling does to the stack; journaled before anything is done. */
export interface ScalePlan {
  /** Levels by aspect, once it is done. */
  scaleLevels: Record<string, number>;
  wanted: WantedSize;
  /** Null for a scale in: a VM that is gone does not come back. */
  earlier: EarlierSize | null;
  /** What the survey found otherwise than the instance says. */
  surprises: string[];
}

type Context = Pick<SagaContext, 'instance' | 'package' | 'flavourId'> & { opOcc: Pick<OpOccRecord, 'id' | 'request'> };

/** An update of the stack writes its tags anew: this is among them. */
interface Tagged {
  deploymentTag: string;
}

/** The marks by which a stack shows whose update it got last. A way back is another update than the way there. */
export const tagsOf = (vnfInstanceId: string, deployment: string, last: string): string[] => [
  'windlass',
  vnfTag(vnfInstanceId),
  deployment,
  last,
];

/** The tag that a stack carries once the update of an operation's undo has begun. */
export const undoTag = (operationId: string): string => `windlass-undo-${operationId}`;

/** What to ask Heat for, and which members leave, from the stack as it was found. Pure. @throws RequestError as `scalingOf` and `stackInput` */
export function scalePlan(context: Context & Tagged, groups: readonly SurveyedGroup[]): ScalePlan {
  const { instance, opOcc } = context;
  const state = instantiatedOf(instance);
  const request = requestOf(opOcc.request);
  const scaling = scalingOf(flavourOf(context.package.model, context.flavourId), state.info, request);
  const known = membersOf(state.vnfcs);
  const size = sizeAt(context, scaling, scaling.to);
  const wanted: WantedSize = {
    update: updateOf(context, size, operationTag(opOcc.id)),
    sizes: groupSizes(size),
    leaving: leavingMembers(groups, groupSizes(size), known, scaling.leavesFirst),
  };
  const before = sizeAt(context, scaling, scaling.from);
  const earlier =
    request.type === 'SCALE_IN'
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
 * Everything that can be known to be wrong with a scaling before its 202: what Heat will be asked for is computed once.
 * @throws RequestError 400 with the field's path, 409, 422
 */
export function checkScaling(context: Context): void {
  const flavour = flavourOf(context.package.model, context.flavourId);
  const scaling = scalingOf(flavour, instantiatedOf(context.instance).info, requestOf(context.opOcc.request));
  const size = sizeAt(context, scaling, scaling.to);
  stackInput(size);
  stackInput(sizeAt(context, scaling, scaling.from));
  const empty = Object.entries(groupSizes(size)).find(([, members]) => members === 0);
  if (empty === undefined) return;
  const reason = `can't scale in: the group ${empty[0]} would have no member, and Heat takes a desired capacity of 0 for "unchanged"`;
  throw refused('/numberOfSteps', 'scale.empty-group', reason);
}

/** The body of a scaling, which was held against its class before its 202. */
export const requestOf = (request: JsonObject): ScaleVnfRequest => request as unknown as ScaleVnfRequest;

export function instantiatedOf(instance: VnfInstanceRecord): InstantiatedState {
  if (instance.instantiated === null) throw new InvariantError(`VNF instance ${instance.id} is scaled and has no resources`);
  return instance.instantiated;
}

/** What the stack is made from with the aspect at that level; the VDUs of other aspects stay as many as they are. */
function sizeAt(context: Context, { aspect }: Scaling, level: number): UserDataInput {
  const { instance } = context;
  const flavour = flavourOf(context.package.model, context.flavourId);
  const { info, vnfcs } = instantiatedOf(instance);
  const others = vdusInGroups(flavour).filter((vduId) => !aspect.deltas.some((delta) => delta.vduId === vduId));
  return {
    flavour,
    request: desiredOf(instance),
    scaleStatus: levelsWith(flavour, info.scaleStatus ?? [], aspect.id, level),
    vduCounts: Object.fromEntries(others.map((vduId) => [vduId, vnfcs.filter((vnfc) => vnfc.vduId === vduId).length])),
    imageRefs: imageRefsOf(context),
    ...grantedInput(desiredOf(instance)),
  };
}

/** The VDUs of a flavour that stand in groups. */
export const vdusInGroups = ({ vdus, baseHot }: Flavour): string[] =>
  vdus.map(({ id }) => id).filter((id) => baseHot?.groups.some(({ vduIds }) => vduIds.includes(id)) === true);

function updateOf({ instance, deploymentTag }: Context & Tagged, size: UserDataInput, last: string): StackUpdate {
  const { template, files, parameters } = stackInput(size);
  return { template, files, parameters, tags: tagsOf(instance.id, deploymentTag, last), timeoutMinutes: STACK_TIMEOUT_MINUTES };
}

/** Where the stack is not as the instance has it: what a late write of an earlier operation, or somebody else, did. */
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
