import type { InstantiatedVnfInfo } from '@windlass/sol003';
import { flavourOf } from '@windlass/vnf-package';
import { heldBy, instancesOf, portsOf, type GrantSubject, type ResourcesOf } from '../../operation/asked-resources.js';
import { standsIn } from './leaving-members.js';
import { changesOf, type Scaling, type ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';

/**
 * The resources that a scaling adds and removes. Which members leave is decided after the grant, when the stack was surveyed: here are named those
 * that leave if the stack is as the record says.
 */
export const scaledResources =
  (scalingOf: (subject: GrantSubject) => Scaling): ResourcesOf =>
  (subject) => {
    const scaling = scalingOf(subject);
    const { info } = instantiatedOf(subject.instance);
    const changes = Object.entries(changesOf(subject, scaling));
    const leaving = leavingVnfcs(subject, scaling);
    const come = Object.fromEntries(changes.filter(([, change]) => change > 0));
    return {
      add: instancesOf(flavourOf(subject.package.model, subject.flavourId), come),
      remove: [...heldBy(info, leaving), ...portsOf(info, leaving)],
    };
  };

type VnfcResources = NonNullable<InstantiatedVnfInfo['vnfcResourceInfo']>;

/** The VNFCs that leave if the stack is as the record says: of copies that a script made those with the highest numbers, else by age. */
function leavingVnfcs(subject: ScalingContext, scaling: Scaling): VnfcResources {
  const { info, vnfcs } = instantiatedOf(subject.instance);
  const named = new Set(vnfcs.filter((vnfc) => standsIn(scaling.named, vnfc)).map(({ id }) => id));
  return Object.entries(changesOf(subject, scaling)).flatMap(([vduId, change]) => {
    const there = (info.vnfcResourceInfo ?? []).filter((vnfc) => vnfc.vduId === vduId);
    const byAge = scaling.leavesFirst === 'oldest' ? there : there.toReversed();
    const inOrder = byAge.toSorted((a, b) => numberOf(b) - numberOf(a));
    const isNamed = ({ id }: { id: string }): boolean => named.has(id);
    return [...inOrder.filter(isNamed), ...inOrder.filter((vnfc) => !isNamed(vnfc))].slice(0, Math.max(0, -change));
  });
}

/** Ids of the leaving VNFCs that are copies made by a script: only the template says that they leave. */
export const copiesThatLeave = (subject: ScalingContext, scaling: Scaling): Set<string> =>
  new Set(
    leavingVnfcs(subject, scaling)
      .filter((vnfc) => numberOf(vnfc) >= 0)
      .map(({ id }) => id),
  );

/** `vdu_idx` of a copy; -1 of a VNFC that is none. */
const numberOf = ({ metadata }: VnfcResources[number]): number => (typeof metadata?.vdu_idx === 'number' ? metadata.vdu_idx : -1);
