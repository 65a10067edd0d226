import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { outputOf, parallel, sequence, stepCalled, type Plan } from '@windlass/saga';
import { removeNode } from '../cluster/nodes/remove-node.action.js';
import { nodesOf, type ClusterNode, type ClusterShape } from '../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { fetchSnapshot } from '../snapshots/fetch-snapshot.action.js';
import { reconnectNode } from '../snapshots/reconnect-node.action.js';
import { restoreControlPlane } from '../snapshots/restore-control-plane.action.js';
import { verified } from './instantiate.js';
import { namedSnapshot } from './parameters/named-snapshot.js';
import { peersUpdated, versionRead } from './scale.js';
import { connectedAnew } from './steps/connected-registries.js';
import { inspection } from './steps/preflight.js';
import { joined, labelled, prepared } from './steps/node-chain.js';
import { ClusterSteps } from './steps/node-steps.js';

/** There is no undo past the replacement: the previous VM is gone. */
const NO_WAY_BACK = { undoable: false } as const;

interface Restoration {
  shape: ClusterShape;
  /** Steps that take the nodes' names from the cluster, which answers once its master is restored. */
  steps: ClusterSteps;
  healed: readonly ClusterNode[];
}

/**
 * Restores the only master from a snapshot (ADR 84), on a machine that is prepared like that of any new node. Until the master runs, the steps take
 * what they need to know of the cluster from the snapshot. Workers that are healed in the same operation join after that.
 */
export function restored(hook: HookContext, settings: K8sMgmtSettings, { shape, steps, healed }: Restoration): Plan {
  const [master, ...others] = shape.masters;
  if (master === undefined || others.length > 0)
    throw new TerminalError(
      'cluster.quorum',
      'no master stays, and a cluster of several is made again by the heal of the whole alone',
    );
  const kept = new ClusterSteps(hook, shape, settings, 'kept');
  const workers = healed.filter(({ role }) => role === 'worker');
  const stayed = nodesOf(shape).filter(({ address }) => healed.every((node) => node.address !== address));
  const masters = [master];
  return {
    common: steps.common,
    root: sequence(
      kept.fetchesSnapshot(master, namedSnapshot(hook)),
      inspection(kept, healed, NO_WAY_BACK),
      ...prepared(kept, master),
      kept.step(
        restoreControlPlane,
        master,
        { ...kept.on(master), ...kept.terms.proxy, sha256: outputOf(stepCalled(fetchSnapshot), ({ sha256 }) => sha256) },
        { ...NO_WAY_BACK, contributes: true },
      ),
      // Before `name-nodes` asks the cluster: the restored cluster may not know nodes that joined after the snapshot.
      parallel(
        stayed.map((node) => kept.step(reconnectNode, node, kept.on(node, masters), { ...NO_WAY_BACK, contributes: true })),
      ),
      steps.names(masters),
      ...versionRead(steps, masters, hook),
      ...connectedAnew(steps, stayed),
      parallel(
        workers.map((node) =>
          sequence(
            steps.step(removeNode, node, steps.on(node, masters), NO_WAY_BACK),
            ...prepared(steps, node),
            joined(steps, node, masters, NO_WAY_BACK),
            ...labelled(steps, node, masters),
          ),
        ),
      ),
      peersUpdated(steps, [...stayed, master], masters),
      ...verified(steps, hook, masters, [...healed]),
    ),
  };
}
