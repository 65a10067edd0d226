import type { AffectedVnfc, Vnfc } from '@windlass/mgmt-driver';
import { flavourOf } from '@windlass/vnf-package';
import type { PredictDrafts } from '../../operation/predicted-drafts.js';
import { standsIn } from './leaving-members.js';
import type { SurveyedGroup } from '../../stack/resize-actions.js';
import { scalePlan } from './scale-plan.js';
import { copiesThatLeave } from './scaled-resources.js';
import type { Scaling, ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';

/**
 * The leaving members are chosen as the operation would choose them, from the record in place of the stack. @param scalingOf what the operation's
 * request comes to
 */
export const predictScaling =
  (scalingOf: (context: ScalingContext) => Scaling): PredictDrafts =>
  (context, { counts = {} }, placeholders) => {
    const { instance, package: record, flavourId } = context;
    const scaling = scalingOf(context);
    const now = instantiatedOf(instance);
    const tagged = { ...context, deploymentTag: '', computed: instance.desired?.computed };
    const { leaving } = scalePlan(tagged, scaling, groupsIn(now.vnfcs)).wanted;
    const copies = copiesThatLeave(context, scaling);
    const staying = now.vnfcs.filter((vnfc) => !standsIn(leaving, vnfc) && !copies.has(vnfc.id));
    const vnfcs = placeholders.vnfcs(flavourOf(record.model, flavourId), counts, staying);
    const left = affected('REMOVED', now.vnfcs, staying);
    return {
      start: { instantiated: now, affectedVnfcs: left },
      end: { instantiated: { ...now, vnfcs }, affectedVnfcs: [...left, ...affected('ADDED', vnfcs, now.vnfcs)] },
    };
  };

/** The VNFCs of the first list that are not in the second. */
const affected = (changeType: AffectedVnfc['changeType'], of: readonly Vnfc[], others: readonly Vnfc[]): AffectedVnfc[] =>
  of.filter(({ id }) => others.every((other) => other.id !== id)).map((vnfc) => ({ changeType, vnfc }));

/**
 * The groups as the record has them: a member is as old as the VIM says, or as its oldest VM where an older release has read its stack, and none is known to have
 * failed.
 */
export function groupsIn(vnfcs: readonly Vnfc[]): SurveyedGroup[] {
  const groups = new Map<string, Map<string, string>>();
  for (const { aspectId, memberName, memberCreatedAt, createdAt } of vnfcs) {
    if (aspectId === null || memberName === null) continue;
    const members = groups.get(aspectId) ?? new Map<string, string>();
    groups.set(aspectId, members);
    const [known, madeAt] = [members.get(memberName), memberCreatedAt ?? createdAt ?? ''];
    members.set(memberName, known === undefined || madeAt < known ? madeAt : known);
  }
  return [...groups].map(([name, members]) => ({
    name,
    members: [...members].map(([member, createdAt]) => ({ name: member, createdAt, failed: false })),
  }));
}
