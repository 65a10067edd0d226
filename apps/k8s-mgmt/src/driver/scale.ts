import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, sequence, serial, type Plan, type PlanNode } from '@windlass/saga';
import * as actions from '../actions/contracts.js';
import type { K8sMgmtSettings } from '../settings.js';
import { drainTerms } from './drain-terms.js';
import { scriptOf, verified } from './instantiate-end.js';
import { balancer } from './balanced.js';
import { joined, joinedAsMaster, labelled, prepared } from './node-chain.js';
import { checkPodRange, clusterOf, nodesAmong, nodesOf, type ClusterNode } from './nodes.js';
import { ClusterSteps } from './node-steps.js';
import { broughtByScript } from './packaged-script.js';

const NOTHING: Plan = { root: sequence() };

/** Workers that leave are emptied and taken out of the cluster while their VMs still run. */
export function scaleStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const leaving = changed(hook, 'REMOVED');
  if (leaving.length === 0) return NOTHING;
  refuseMasters(leaving);
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up', leaving);
  const { masters } = shape;
  const { nodes, removals } = drained(steps, leaving, masters, hook);
  return {
    common: steps.common,
    root: sequence(steps.names(masters), ...nodes, removals, told(steps, steps.staying, masters, nodesOf(shape))),
  };
}

/** Workers that have come join; those that were there get to know them, and nothing else is done to them. */
export function scaleEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const came = changed(hook, 'ADDED');
  if (came.length === 0) return NOTHING;
  refuseMasters(came);
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const { masters } = shape;
  const there = nodesOf(shape).filter(({ address }) => came.every((node) => node.address !== address));
  return {
    common: steps.common,
    root: sequence(
      steps.names(masters),
      ...arrived(steps, came, masters, hook, { undoable: true }),
      labelled(steps, came, masters),
      told(steps, there, masters, there),
      ...verified(steps, hook, masters, came),
    ),
  };
}

/** Fresh VMs to Ready nodes, all at once. */
export function arrived(
  steps: ClusterSteps,
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  hook: HookContext,
  traits: { undoable: boolean },
): PlanNode[] {
  const script = scriptOf(hook);
  if (script.kind === 'packaged') return [broughtByScript(steps, script, nodes, masters, traits)];
  checkPodRange(steps.shape);
  const newMasters = nodes.filter(({ role }) => role === 'master');
  const balanced = balancer(steps, steps.shape.masters);
  return [
    steps.inspection(nodes, { undoable: false }),
    parallel([
      // Control planes join one at a time; workers need not wait for them.
      ...(newMasters.length === 0
        ? []
        : [
            sequence(
              parallel(newMasters.map((node) => sequence(...prepared(steps, node), ...balanced.configured(node, traits)))),
              serial(newMasters.map((node) => joinedAsMaster(steps, node, masters, traits))),
            ),
          ]),
      ...nodes
        .filter(({ role }) => role === 'worker')
        .map((node) => sequence(...prepared(steps, node), joined(steps, node, masters, traits))),
    ]),
  ];
}

/** Pods go first, from all that leave at once, so that none moves to another that leaves; then, when all that is in between is done, the nodes. */
export function drained(
  steps: ClusterSteps,
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  hook: HookContext,
): { nodes: PlanNode[]; removals: PlanNode } {
  const on = (node: ClusterNode) => steps.on(node, masters);
  const terms = drainTerms(hook);
  return {
    nodes: [
      parallel(nodes.map((node) => steps.step(actions.cordonNode, node, on(node)))),
      parallel(
        nodes.map((node) =>
          steps.step(actions.drainNode, node, { ...on(node), ...terms }, { undoable: false, contributes: true }),
        ),
      ),
    ],
    removals: parallel(nodes.map((node) => steps.step(actions.removeNode, node, on(node)))),
  };
}

/** @param before who was there before the operation, where undoing is to bring that back */
export function told(
  steps: ClusterSteps,
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  before?: readonly ClusterNode[],
): PlanNode {
  const earlier = before === undefined ? {} : { before: steps.named(before) };
  return parallel(
    nodes.map((node) =>
      steps.step(
        actions.updatePeers,
        node,
        { ...steps.on(node, masters), ...steps.proxy, ...earlier },
        { undoable: before !== undefined, contributes: true },
      ),
    ),
  );
}

/** The nodes among what the operation takes away, or has brought. */
const changed = (hook: HookContext, type: 'ADDED' | 'REMOVED'): ClusterNode[] =>
  nodesAmong(
    hook,
    hook.affectedVnfcs.filter(({ changeType }) => changeType === type).map(({ vnfc }) => vnfc),
  );

function refuseMasters(nodes: readonly ClusterNode[]): void {
  const master = nodes.find(({ role }) => role === 'master');
  if (master !== undefined)
    throw new TerminalError('cluster.masters-do-not-scale', `${master.vnfc.name} is a master: this release scales workers alone`);
}
