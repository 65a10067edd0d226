import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, sequence, type Given, type Plan, type PlanNode } from '@windlass/saga';
import type { NamedNode } from '../cluster/node-input.js';
import { checkMoving } from '../cluster/nodes/check-moving.action.js';
import { readdressNode } from '../cluster/nodes/readdress-node.action.js';
import { updatePeers } from '../cluster/nodes/update-peers.action.js';
import { clusterOf, nodesOf, type ClusterNode, type ClusterShape } from '../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { verified } from './instantiate.js';
import { clusterParams } from './parameters/parameters.js';
import { snapshotKept } from './snapshot.js';
import { certificates } from './steps/preflight.js';
import { concernsCluster, movingCps } from './steps/moving-cps.js';
import { noProxy, inTurn } from './steps/no-proxy.js';
import { ClusterSteps } from './steps/node-steps.js';

const NOTHING: Plan = { root: sequence() };

/** Before a network is touched: checks that the cluster answers, and that all nodes are alive whose addresses change. */
export function connectivityStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const params = clusterParams(hook.instantiateParams);
  const moving = movingCps(params, hook.connectivity ?? { cps: [] });
  if (!concernsCluster(moving)) return NOTHING;
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const addresses = moving.workers ? shape.workers.map(({ address }) => address) : [];
  return {
    common: steps.common,
    root: sequence(
      certificates(steps, shape.masters),
      snapshotKept(steps, shape.masters),
      steps.names(shape.masters),
      steps.onCluster(checkMoving, { addresses }, { undoable: false }),
    ),
  };
}

/** How a cluster was connected, and how it is now. */
interface Moved {
  before: ClusterShape;
  now: ClusterShape;
  /** Nodes whose addresses have changed. */
  nodes: ClusterNode[];
  /** Earlier addresses of all nodes, by VNFC id. */
  earlier: ReadonlyMap<string, string>;
}

/** Has the cluster follow changed addresses. Does nothing where each address has stayed. */
export function connectivityEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const moved = movedOf(hook);
  if (moved === undefined) return NOTHING;
  const { now, nodes, earlier } = moved;
  const steps = new ClusterSteps(hook, now, settings, 'looked-up', [], earlier);
  return {
    common: steps.common,
    root: sequence(
      steps.names(now.masters),
      parallel(nodes.map((node) => readdressed(steps, node, moved))),
      peersUpdated(steps, hook, moved),
      ...verified(steps, hook, now.masters, nodes),
    ),
  };
}

function movedOf(hook: HookContext): Moved | undefined {
  const { connectivity } = hook;
  if (connectivity === undefined) return undefined;
  const { earlierCps, earlierSharedCps: sharedCps } = connectivity;
  const now = clusterOf(hook);
  const before = clusterOf({
    ...hook,
    sharedCps,
    vnfcs: hook.vnfcs.map((vnfc) => ({ ...vnfc, cps: earlierCps[vnfc.id] ?? vnfc.cps })),
  });
  const earlier = new Map(nodesOf(before).map(({ vnfc, address }) => [vnfc.id, address]));
  const nodes = nodesOf(now).filter(({ vnfc, address }) => earlier.get(vnfc.id) !== address);
  const masters = nodes.filter(({ role }) => role === 'master');
  if (masters.length > 0)
    throw new TerminalError(
      'cluster.masters-moved',
      `${masters.map(({ vnfc, address }) => `${vnfc.name} has ${address} by now and had ${String(earlier.get(vnfc.id))}`).join(', ')}: a master's address is etcd's, which does not follow; roll back`,
    );
  return nodes.length === 0 ? undefined : { before, now, nodes, earlier };
}

const readdressed = (steps: ClusterSteps, node: ClusterNode, { now, earlier }: Moved): PlanNode =>
  steps.step(readdressNode, node, {
    ...steps.on(node, now.masters),
    ...steps.terms.proxy,
    earlier: earlier.get(node.vnfc.id) ?? node.address,
  });

/** Tells every node the addresses of all nodes. The undo tells the earlier ones. */
function peersUpdated(steps: ClusterSteps, hook: HookContext, { before, now, earlier }: Moved): PlanNode {
  const noProxyBefore = noProxy(clusterParams(hook.instantiateParams), before);
  const nodes = nodesOf(now);
  const named = nodes.map((node): Given<NamedNode> => {
    const { role, address, vnfc } = node;
    return { name: steps.nameOf(node), role, address: earlier.get(vnfc.id) ?? address } as Given<NamedNode>;
  });
  return inTurn(
    clusterParams(hook.instantiateParams),
    nodes.map((node) =>
      steps.step(
        updatePeers,
        node,
        { ...steps.on(node, now.masters), ...steps.terms.proxy, before: named, noProxyBefore },
        { contributes: true },
      ),
    ),
  );
}
