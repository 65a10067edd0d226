import { flavourOf } from '@windlass/vnf-package';
import { heldBy, instancesOf, portsOf, type GrantSubject, type ResourcesOf } from '../grant/asked-resources.js';
import { changesOf, instantiatedOf, type Scaling } from './scaling.js';

/**
 * What a scaling adds and takes away. Who leaves is known only when the stack was surveyed, after the grant: those are named that leave if the
 * stack is as the instance says.
 */
export const scaledResources =
  (scalingOf: (subject: GrantSubject) => Scaling): ResourcesOf =>
  (subject) => {
    const scaling = scalingOf(subject);
    const { info } = instantiatedOf(subject.instance);
    const changes = Object.entries(changesOf(subject, scaling));
    const leaving = changes.flatMap(([vduId, change]) => {
      const there = (info.vnfcResourceInfo ?? []).filter((vnfc) => vnfc.vduId === vduId);
      const count = Math.max(0, -change);
      return scaling.leavesFirst === 'oldest' ? there.slice(0, count) : there.slice(Math.max(0, there.length - count));
    });
    const come = Object.fromEntries(changes.filter(([, change]) => change > 0));
    return {
      add: instancesOf(flavourOf(subject.package.model, subject.flavourId), come),
      remove: [...heldBy(info, leaving), ...portsOf(info, leaving)],
    };
  };
