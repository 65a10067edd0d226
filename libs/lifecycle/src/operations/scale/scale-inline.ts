import { InvariantError } from '@windlass/foundation';
import type { AffectedVnfc, Vnfc } from '@windlass/mgmt-driver';
import type { ReadStackOutput } from '../../stack/infra-actions.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../../records/known-host-keys.js';
import { desiredOf, scaledTo } from '../../records/desired-state.js';
import { deploymentTag } from '../../records/names.js';
import type { InstantiatedState } from '../../records/records.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import { publish } from '../../operation/publish.js';
import { computedIn, keptAs } from '../../shared-steps/user-data/script-step.js';
import { standsIn } from './leaving-members.js';
import { scalePlan } from './scale-plan.js';
import { copiesThatLeave } from './scaled-resources.js';
import { levelOf, type Scaling, type ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { keepScaledAction, planScaleAction, publishScaleAction } from './scaling-steps.js';

/** The inline steps of a scaling. @param scalingOf what the operation's request comes to */
export const scaleInline = (scalingOf: (context: ScalingContext) => Scaling): InlineActions => ({
  /** Chooses the members that leave and computes what Heat is asked for, from what the survey found; hooks see what it found too. */
  ...inlineAction(planScaleAction, async ({ tx, store, context, input }) => {
    const { opOcc, instance } = context;
    const survey = { ...input.survey, vnfcs: withKnownHostKeys(input.survey.vnfcs, hostKeysKnownBy(context)) };
    const deployment = deploymentTag(await store.deploymentId(tx.handle));
    const computed = await computedIn(tx, context);
    const scaling = scalingOf(context);
    const plan = scalePlan({ ...context, deploymentTag: deployment, computed }, scaling, survey.groups);
    const copies = copiesThatLeave(context, scaling);
    opOcc.draft.instantiated = stateFrom(survey, instantiatedOf(instance));
    opOcc.draft.affectedVnfcs = survey.vnfcs
      .filter((vnfc) => standsIn(plan.wanted.leaving, vnfc) || copies.has(vnfc.id))
      .map((vnfc) => ({ changeType: 'REMOVED', vnfc }));
    opOcc.warnings = [...opOcc.warnings, ...plan.surprises];
    await store.saveOpOcc(tx.handle, opOcc);
    return plan;
  }),

  /** Puts what is there now into the draft. A comparison with the instance's record shows which VNFCs came and went. */
  ...inlineAction(keepScaledAction, async ({ tx, store, context: { opOcc, instance }, input }) => {
    const { resources } = input;
    const read = { ...resources, vnfcs: withKnownHostKeys(resources.vnfcs, hostKeysKnownBy({ opOcc, instance })) };
    const before = instantiatedOf(instance);
    opOcc.draft.affectedVnfcs = comeAndGone(before.vnfcs, opOcc.draft.affectedVnfcs, read.vnfcs);
    opOcc.draft.instantiated = stateFrom(read, before);
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),

  /** Publishes the instance with what it consists of now; that size is also its desired state. */
  ...inlineAction(publishScaleAction, async ({ tx, store, context }) => {
    const { opOcc, instance } = context;
    const { instantiated } = opOcc.draft;
    if (instantiated === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    const { moves, instantiationLevelId } = scalingOf(context);
    const levels = moves.map(({ aspect: { id } }) => ({ aspectId: id, scaleLevel: levelOf(instantiated.info, id) }));
    await publish(tx, store, opOcc, {
      ...instance,
      instantiated,
      desired: { ...scaledTo(desiredOf(instance), levels, instantiationLevelId), ...keptAs(await computedIn(tx, context)) },
    });
    return undefined;
  }),
});

/** The VNFCs that are gone, of those on the record or found by the survey, and the VNFCs that are new. */
export function comeAndGone(
  before: readonly Vnfc[],
  found: readonly AffectedVnfc[] | undefined,
  now: readonly Vnfc[],
): AffectedVnfc[] {
  const left = [...before, ...(found ?? []).map(({ vnfc }) => vnfc)];
  const isIn = (list: readonly Vnfc[], id: string): boolean => list.some((each) => each.id === id);
  const gone = left.filter(({ id }, index) => !isIn(now, id) && left.findIndex((each) => each.id === id) === index);
  const come = now.filter(({ id }) => !isIn(before, id));
  return [
    ...gone.map((vnfc): AffectedVnfc => ({ changeType: 'REMOVED', vnfc })),
    ...come.map((vnfc): AffectedVnfc => ({ changeType: 'ADDED', vnfc })),
  ];
}

const stateFrom = (
  { info, stack, vnfcs, sharedCps }: ReadStackOutput,
  { vim, images }: InstantiatedState,
): InstantiatedState => ({
  info,
  stack,
  vnfcs,
  sharedCps,
  vim,
  images,
});
