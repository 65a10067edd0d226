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
import { certificates, inspection, readsVersion } from './steps/preflight.js';
import { inTurn } from './steps/no-proxy.js';
import { joined, joinedAsMaster, labelled, prepared } from './steps/node-chain.js';
import { ClusterSteps } from './steps/node-steps.js';
import { broughtByScript } from './steps/packaged-script.js';

const NOTHING: Plan = { root: sequence() };

/**
 * Drains the nodes that leave and takes them out of the cluster while their VMs still run. Masters first stop holding the virtual address: a holder
 * that the other masters no longer list would hold it beside them (ADR 54). Then masters leave etcd, one after another.
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
      peersUpdated(steps, steps.staying, masters, nodesOf(shape)),
      keptCertificates(steps, masters),
    ),
  };
}

/** Checks before VMs are made that the cluster could take them in. */
function looked(hook: HookContext, shape: ClusterShape, settings: K8sMgmtSettings): Plan {
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const { masters } = shape;
  return {
    common: steps.common,
    root: sequence(certificates(steps, masters), ...versionRead(steps, masters, hook), snapshotKept(steps, masters)),
  };
}

/**
 * Has new nodes join. Nodes that were there are told of their new peers, and nothing else is done to them. The other masters list a new master before
 * it may hold the virtual address.
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
      ...nodesJoined(steps, came, masters, hook, { undoable: true }),
      ...through.flatMap((node) => balanced.verified(node, shape.masters)),
      peersUpdated(steps, there, masters, there),
      ...verified(steps, hook, masters, came),
    ),
  };
}

/** Reads the cluster's version, which new nodes get. A packaged script chooses the version by itself. */
export const versionRead = (steps: ClusterSteps, masters: readonly ClusterNode[], hook: HookContext): PlanNode[] =>
  scriptOf(hook).kind === 'packaged' ? [] : [readsVersion(steps, masters)];

/** Makes fresh VMs into nodes of the cluster, all at once. */
export function nodesJoined(
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

/**
 * Drains all nodes that leave before any is removed, so that no pod moves to a node that leaves too. The plan puts its other steps between the two.
 */
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

/** Nodes get the present names and addresses of their peers. @param before the nodes before the operation, where the undo restores them */
export function peersUpdated(
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

/** The request was checked already, with the numbers that were known then. @throws TerminalError `cluster.masters` */
function checkMasters(before: number, after: number): void {
  const wrong = wrongNumberOfMasters(before, after);
  if (wrong !== undefined) throw new TerminalError('cluster.masters', `the operation ${wrong}`);
}
