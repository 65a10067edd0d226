import type { PlanNode } from '@windlass/saga';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import { checkQuorum } from '../../etcd/check-quorum.action.js';
import { leaveEtcd } from '../../etcd/leave-etcd.action.js';
import { removeDeadMembers } from '../../etcd/remove-dead-members.action.js';
import type { ClusterSteps } from './node-steps.js';

/** Checks, before a master is touched, that etcd keeps its quorum without it. No step where no master leaves. */
export function quorum(
  steps: ClusterSteps,
  leaving: readonly ClusterNode[],
  survivors: readonly ClusterNode[],
  { replaced }: { replaced: boolean },
): PlanNode[] {
  if (leaving.length === 0) return [];
  const input = { leaving: leaving.map((node) => leavingOf(steps, node)), replaced };
  return [steps.onCluster(checkQuorum, input, { undoable: false }, survivors)];
}

/**
 * Removes a master's member from etcd. Only a heal or a scaling joins a member again: after a roll-back past this step, the master stays outside etcd
 * until it is healed.
 */
export const outOfEtcd = (steps: ClusterSteps, master: ClusterNode, survivors: readonly ClusterNode[]): PlanNode => {
  const id = steps.stepId(leaveEtcd, master);
  return steps.onCluster(leaveEtcd, { leaving: leavingOf(steps, master) }, { undoable: false, contributes: true }, survivors, id);
};

/** Removes dead masters from etcd before new masters join: kubeadm refuses a join while a member does not answer. */
export const roomInEtcd = (steps: ClusterSteps, nodes: readonly ClusterNode[], masters: readonly ClusterNode[]): PlanNode[] =>
  nodes.some(({ role }) => role === 'master')
    ? [steps.onCluster(removeDeadMembers, {}, { undoable: false, contributes: true }, masters)]
    : [];

const leavingOf = (steps: ClusterSteps, node: ClusterNode) => ({ name: steps.nameOf(node), address: node.address });

/** Why a cluster may not go from `before` masters to `after`; undefined where it may. */
export function wrongNumberOfMasters(before: number, after: number): string | undefined {
  if (before === after) return undefined;
  if (before === 1)
    return `the cluster has one master, whose own address is the cluster's: it can't become ${after}; make a cluster of three`;
  if (after < 3)
    return `would leave ${after} of ${before} masters: the cluster's address is one that masters share, and they are three at least`;
  return undefined;
}

/** What a person should know of a cluster of so many masters; undefined where there is nothing. */
export const warningOfEven = (masters: number): string | undefined =>
  masters % 2 === 0
    ? `${masters} masters: etcd stands no more losses with ${masters} than with ${masters - 1}, and has one more to lose; take an odd number`
    : undefined;
