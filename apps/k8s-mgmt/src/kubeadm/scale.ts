import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, sequence, serial, type Plan, type PlanNode } from '@windlass/saga';
import { cordonNode } from '../cluster/nodes/cordon-node.action.js';
import { drainNode } from '../cluster/nodes/drain-node.action.js';
import { removeNode } from '../cluster/nodes/remove-node.action.js';
import { updatePeers } from '../cluster/nodes/update-peers.action.js';
import { drainTerms } from '../cluster/request/drain-terms.js';
import { checkPodRange, clusterOf, nodesAmong, nodesOf, type ClusterNode, type ClusterShape } from '../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { scriptOf, verified } from './instantiate.js';
import { clusterParams } from './parameters/parameters.js';
import { snapshotKept } from './snapshot.js';
import { balancer } from './steps/balanced.js';
import { connectedAnew } from './steps/connected-registries.js';
import { keptCertificates } from './steps/kept-certificates.js';
import { outOfEtcd, quorum, roomInEtcd, wrongNumberOfMasters } from './steps/leaving-masters.js';
import { certificates, inspection, readsVersion } from './steps/looks.js';
import { inTurn } from './steps/no-proxy.js';
import { joined, joinedAsMaster, labelled, prepared } from './steps/node-chain.js';
import { ClusterSteps } from './steps/node-steps.js';
import { broughtByScript } from './steps/packaged-script.js';

const NOTHING: Plan = { root: sequence() };

/**
 * Nodes that leave are emptied and taken out of the cluster while their VMs still run. Masters give the address away first: whom the others
 * had forgotten would hold it beside them (ADR 54). Then they leave etcd, one after another.
 */
export function scaleStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const leaving = changed(hook, 'REMOVED');
  const shape = clusterOf(hook);
  if (leaving.length === 0) return looked(hook, shape, settings);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up', leaving);
  const [gone, masters] = mastersOf(shape, leaving);
  checkMasters(shape.masters.length, masters.length);
  const balanced = balancer(steps, masters, { holders: masters, before: shape.masters });
  const { nodes, removals } = drained(steps, leaving, masters, hook);
  const outOfLoadBalancer = [
    parallel(gone.flatMap((node) => balanced.left(node, masters))),
    parallel(masters.flatMap((node) => balanced.changed(node, masters, { undoable: true }))),
  ];
  return {
    common: steps.common,
    root: sequence(
      certificates(steps, masters),
      snapshotKept(steps, masters),
      steps.names(masters),
      ...quorum(steps, gone, masters, { replaced: false }),
      ...nodes,
      ...(gone.length === 0 ? [] : outOfLoadBalancer),
      serial(gone.map((node) => outOfEtcd(steps, node, masters))),
      removals,
      told(steps, steps.staying, masters, nodesOf(shape)),
      keptCertificates(steps, masters),
    ),
  };
}

/** Before VMs are made for a cluster that could take none of them in. */
function looked(hook: HookContext, shape: ClusterShape, settings: K8sMgmtSettings): Plan {
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const { masters } = shape;
  return {
    common: steps.common,
    root: sequence(certificates(steps, masters), ...versionRead(steps, masters, hook), snapshotKept(steps, masters)),
  };
}

/**
 * Nodes that have come join; those that were there get to know them, and nothing else is done to them. Masters are known to the others before
 * they may hold the address.
 */
export function scaleEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const came = changed(hook, 'ADDED');
  if (came.length === 0) return NOTHING;
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const [news, masters] = mastersOf(shape, came);
  checkMasters(masters.length, shape.masters.length);
  const balanced = balancer(steps, shape.masters, { holders: shape.masters, before: masters });
  const known =
    news.length === 0 ? [] : [parallel(masters.flatMap((node) => balanced.changed(node, masters, { undoable: true })))];
  const through = news.length === 0 ? [] : masters.slice(0, 1);
  const there = nodesOf(shape).filter(({ address }) => came.every((node) => node.address !== address));
  return {
    common: steps.common,
    root: sequence(
      steps.names(masters),
      ...versionRead(steps, masters, hook),
      ...connectedAnew(steps, there),
      ...known,
      ...arrived(steps, came, masters, hook, { undoable: true }),
      ...through.flatMap((node) => balanced.verified(node, shape.masters)),
      told(steps, there, masters, there),
      ...verified(steps, hook, masters, came),
    ),
  };
}

/** What the cluster runs is what nodes get that come to it; a script of the package decides that by itself. */
export const versionRead = (steps: ClusterSteps, masters: readonly ClusterNode[], hook: HookContext): PlanNode[] =>
  scriptOf(hook).kind === 'packaged' ? [] : [readsVersion(steps, masters)];

/** Fresh VMs to Ready nodes, all at once. */
export function arrived(
  steps: ClusterSteps,
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  hook: HookContext,
  traits: { undoable: boolean },
): PlanNode[] {
  const script = scriptOf(hook);
  if (script.kind === 'packaged')
    return [...roomInEtcd(steps, nodes, masters), broughtByScript(steps, script, nodes, masters, traits)];
  checkPodRange(steps.shape);
  const newMasters = nodes.filter(({ role }) => role === 'master');
  const balanced = balancer(steps, steps.shape.masters);
  return [
    inspection(steps, nodes, { undoable: false }),
    parallel([
      // Control planes join one at a time; workers need not wait for them.
      ...(newMasters.length === 0
        ? []
        : [
            sequence(
              parallel(newMasters.map((node) => sequence(...prepared(steps, node), ...balanced.configured(node, traits)))),
              ...roomInEtcd(steps, newMasters, masters),
              serial(newMasters.map((node) => joinedAsMaster(steps, node, masters, traits))),
            ),
          ]),
      ...nodes
        .filter(({ role }) => role === 'worker')
        .map((node) =>
          sequence(...prepared(steps, node), joined(steps, node, masters, traits), ...labelled(steps, node, masters)),
        ),
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
      parallel(nodes.map((node) => steps.step(cordonNode, node, on(node)))),
      parallel(
        nodes.map((node) => steps.step(drainNode, node, { ...on(node), ...terms }, { undoable: false, contributes: true })),
      ),
    ],
    removals: parallel(nodes.map((node) => steps.step(removeNode, node, on(node)))),
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
  return inTurn(
    clusterParams(steps.hook.instantiateParams),
    nodes.map((node) =>
      steps.step(
        updatePeers,
        node,
        { ...steps.on(node, masters), ...steps.terms.proxy, ...earlier },
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

/** The masters among these nodes, and those of the cluster that are none of them. */
function mastersOf({ masters }: ClusterShape, nodes: readonly ClusterNode[]): [ClusterNode[], ClusterNode[]] {
  const isOne = ({ address }: ClusterNode): boolean => nodes.some((node) => node.address === address);
  return [masters.filter(isOne), masters.filter((node) => !isOne(node))];
}

/** The request was checked already, by what was known of it then. @throws TerminalError `cluster.masters` */
function checkMasters(before: number, after: number): void {
  const wrong = wrongNumberOfMasters(before, after);
  if (wrong !== undefined) throw new TerminalError('cluster.masters', `the operation ${wrong}`);
}
