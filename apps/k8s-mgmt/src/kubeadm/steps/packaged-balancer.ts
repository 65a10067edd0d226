import { changeBackEnds } from '../../balancer/change-back-ends.action.js';
import { leaveLoadBalancer } from '../../balancer/leave-load-balancer.action.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import type { BalancerSteps } from './balanced.js';
import type { ClusterSteps } from './node-steps.js';

/**
 * The steps of a load balancer that a script of the package set up. They change lines of HAProxy's back ends and stop keepalived, and leave the rest
 * of the script's configuration alone. A new master's script sets up that master's own load balancer, with all masters (`-m`).
 * @param listed masters that become back ends again
 * @param unlisted masters that are no back ends for now
 */
export function scriptBalancer(
  steps: ClusterSteps,
  { listed = [], unlisted = [] }: { listed?: readonly ClusterNode[]; unlisted?: readonly ClusterNode[] },
): BalancerSteps {
  const nothing = { configured: () => [], changed: () => [], left: () => [], verified: () => [] };
  if (steps.shape.vip === null) return nothing;
  const backEnds = (nodes: readonly ClusterNode[]) => nodes.map((node) => ({ name: steps.nameOf(node), address: node.address }));
  return {
    ...nothing,
    changed: (node, _through, traits) => [
      steps.step(
        changeBackEnds,
        node,
        { ...steps.on(node), listed: backEnds(listed), unlisted: backEnds(unlisted) },
        { ...traits, contributes: true },
      ),
    ],
    left: (node, through) => [steps.step(leaveLoadBalancer, node, steps.on(node, through))],
  };
}
