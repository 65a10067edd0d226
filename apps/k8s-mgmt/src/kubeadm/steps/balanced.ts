import type { GivenInput, PlanNode, StepTraits } from '@windlass/saga';
import { changeLoadBalancer } from '../../balancer/change-load-balancer.action.js';
import { configureLoadBalancer } from '../../balancer/configure-load-balancer.action.js';
import { leaveLoadBalancer } from '../../balancer/leave-load-balancer.action.js';
import type { LoadBalancer } from '../../balancer/load-balancer.js';
import { verifyLoadBalancer } from '../../balancer/verify-load-balancer.action.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import type { ClusterSteps } from './node-steps.js';

/** The steps of a cluster's load balancer; none where one master is reached by itself. */
export interface BalancerSteps {
  /** Installs the load balancer on a master, with all masters as back ends. */
  configured: (node: ClusterNode, traits: StepTraits) => PlanNode[];
  /**
   * Sets the back ends of a node's load balancer to these masters; the undo sets them to all of them. The cluster says whether the node is dead,
   * through masters that stay.
   */
  changed: (node: ClusterNode, through: readonly ClusterNode[], traits: StepTraits) => PlanNode[];
  /** Has a master that leaves give the virtual address away. The cluster says whether the master is dead, through masters that stay. */
  left: (node: ClusterNode, through: readonly ClusterNode[]) => PlanNode[];
  /** Looks at the address from all these masters. */
  verified: (through: ClusterNode, from: readonly ClusterNode[]) => PlanNode[];
}

/**
 * Every master may hold the virtual address, also a master that is being replaced. Its new VM has the previous VM's address, and a keepalived
 * that the other masters no longer list would take the virtual address at the same time as they (ADR 54).
 * @param masters that the load balancers shall serve
 * @param scaled where masters join or leave for good: `holders` may hold the address afterwards; `before` are the masters served until now, which may hold it still
 */
export function balancer(
  steps: ClusterSteps,
  masters: readonly ClusterNode[],
  { holders, before }: { holders: readonly ClusterNode[]; before: readonly ClusterNode[] } = {
    holders: steps.shape.masters,
    before: steps.shape.masters,
  },
): BalancerSteps {
  const { vip } = steps.shape;
  if (vip === null) return { configured: () => [], changed: () => [], left: () => [], verified: () => [] };
  const serving = (nodes: readonly ClusterNode[], held: readonly ClusterNode[]): GivenInput<LoadBalancer> => ({
    vip,
    backends: nodes.map((node) => ({ name: steps.nameOf(node), address: node.address })),
    holders: held.map(({ address }) => address),
  });
  return {
    configured: (node, traits) => [
      steps.step(
        configureLoadBalancer,
        node,
        { ...steps.on(node), ...steps.terms.proxy, balancer: serving(masters, holders) },
        traits,
      ),
    ],
    changed: (node, through, traits) => [
      steps.step(
        changeLoadBalancer,
        node,
        { ...steps.on(node, through), balancer: serving(masters, holders), before: serving(before, before) },
        { ...traits, contributes: true },
      ),
    ],
    left: (node, through) => [steps.step(leaveLoadBalancer, node, steps.on(node, through))],
    verified: (through, from) => [
      steps.step(
        verifyLoadBalancer,
        through,
        { ...steps.on(through), vip, masters: from.map((node) => steps.node(node)) },
        { undoable: false, contributes: true },
      ),
    ],
  };
}
