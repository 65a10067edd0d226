import { flavourOf } from '@windlass/vnf-package';
import { heldBy, instancesOf, portsOf, type GrantSubject, type ResourcesOf } from '../grant/asked-resources.js';
import { standsIn } from './leaving-members.js';
import { changesOf, instantiatedOf, type Scaling } from './scaling.js';

/**
 * What a scaling adds and takes away. Who leaves is known only when the stack was surveyed, after the grant: those are named that leave if the
 * stack is as the instance says.
 */
export const scaledResources =
  (scalingOf: (subject: GrantSubject) => Scaling): ResourcesOf =>
  (subject) => {
    const scaling = scalingOf(subject);
    const { info, vnfcs } = instantiatedOf(subject.instance);
    const named = new Set(vnfcs.filter((vnfc) => standsIn(scaling.named, vnfc)).map(({ id }) => id));
    const changes = Object.entries(changesOf(subject, scaling));
    const leaving = changes.flatMap(([vduId, change]) => {
      const there = (info.vnfcResourceInfo ?? []).filter((vnfc) => vnfc.vduId === vduId);
      const byAge = scaling.leavesFirst === 'oldest' ? there : there.toReversed();
      const isNamed = ({ id }: { id: string }): boolean => named.has(id);
      return [...byAge.filter(isNamed), ...byAge.filter((vnfc) => !isNamed(vnfc))].slice(0, Math.max(0, -change));
    });
    const come = Object.fromEntries(changes.filter(([, change]) => change > 0));
    return {
      add: instancesOf(flavourOf(subject.package.model, subject.flavourId), come),
      remove: [...heldBy(info, leaving), ...portsOf(info, leaving)],
    };
  };
