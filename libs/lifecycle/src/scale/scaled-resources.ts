import { flavourOf } from '@windlass/vnf-package';
import { heldBy, instancesOf, portsOf, type ResourcesOf } from '../grant/asked-resources.js';
import { instantiatedOf, requestOf } from './scale-plan.js';
import { scalingOf } from './scale-request.js';

/**
 * What a scaling adds or takes away. Who leaves is known only when the stack was surveyed, after the grant: those are named that leave if the
 * stack is as the instance says.
 */
export const scaledResources: ResourcesOf = ({ opOcc, instance, package: { model }, flavourId }) => {
  const flavour = flavourOf(model, flavourId);
  const { info } = instantiatedOf(instance);
  const { aspect, from, to, leavesFirst } = scalingOf(flavour, info, requestOf(opOcc.request));
  const steps = Math.abs(to - from);
  const counts = Object.fromEntries(aspect.deltas.map(({ vduId, instances }) => [vduId, instances * steps]));
  if (to > from) return { add: instancesOf(flavour, counts) };
  const leaving = Object.entries(counts).flatMap(([vduId, count]) => {
    const there = (info.vnfcResourceInfo ?? []).filter((vnfc) => vnfc.vduId === vduId);
    return leavesFirst === 'oldest' ? there.slice(0, count) : there.slice(Math.max(0, there.length - count));
  });
  return { remove: [...heldBy(info, leaving), ...portsOf(info, leaving)] };
};
