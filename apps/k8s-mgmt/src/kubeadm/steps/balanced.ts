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
  /** Installs it on a master, for all these masters. */
  configured: (node: ClusterNode, traits: StepTraits) => PlanNode[];
  /** Has it, where it stands, serve these masters; undone, all of them. Whether a node is dead the cluster says, through masters that stay. */
  changed: (node: ClusterNode, through: readonly ClusterNode[], traits: StepTraits) => PlanNode[];
  /** Has a master that goes give the address away. Whether it is dead the cluster says, through masters that stay. */
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
