import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, sequence, serial, type Plan, type PlanNode } from '@windlass/saga';
import { clusterOf, nodesAmong, nodesOf, type ClusterNode, type ClusterShape } from '../cluster/request/nodes.js';
import { madeAnew, terminateStart } from '../cluster/vim/terminate.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { restored } from './heal-only-master.js';
import { instantiateEnd, scriptOf, verified } from './instantiate.js';
import { namedSnapshot } from './parameters/named-snapshot.js';
import { arrived, drained, told, versionRead } from './scale.js';
import { snapshotKept } from './snapshot.js';
import { balancer } from './steps/balanced.js';
import { connectedAnew } from './steps/connected-registries.js';
import { outOfEtcd, quorum } from './steps/leaving-masters.js';
import { certificates } from './steps/looks.js';
import { masterMoved } from './steps/moved-master.js';
import { ClusterSteps } from './steps/node-steps.js';
import { scriptBalancer } from './steps/packaged-balancer.js';
import { StorageSteps, storageServersAmong } from './steps/storage.js';

const NOTHING: Plan = { root: sequence() };

/** The nodes that are healed, and those that stay. */
interface Healing {
  shape: ClusterShape;
  steps: ClusterSteps;
  healed: ClusterNode[];
  masters: ClusterNode[];
  /** Masters that stay: every question to the cluster goes through them. */
  survivors: ClusterNode[];
  /** Steps of the storage server, where the heal replaces it. */
  storage: StorageSteps | undefined;
}

function healingOf(hook: HookContext, settings: K8sMgmtSettings): Healing | undefined {
  const ids = hook.heal?.vnfcIds ?? [];
  const healed = nodesAmong(
    hook,
    hook.vnfcs.filter(({ id }) => ids.includes(id)),
  );
  const ofStorage = storageServersAmong(hook.vnfcs, hook.instantiateParams).some(({ id }) => ids.includes(id));
  if (healed.length === 0 && !ofStorage) return undefined;
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const isHealed = ({ address }: ClusterNode): boolean => healed.some((node) => node.address === address);
  return {
    shape,
    steps,
    healed,
    masters: shape.masters.filter(isHealed),
    survivors: shape.masters.filter((node) => !isHealed(node)),
    storage: ofStorage ? new StorageSteps(steps) : undefined,
  };
}

/**
 * Takes healed nodes out of the cluster before their VMs are replaced, without their help, for they may be dead.
 * Before a heal of the whole, the step checks that nobody uses the cluster as a VIM.
 * PersistentVolumes are removed before their storage server. A check that none is in use comes before everything else.
 * The only master is restored from a snapshot (ADR 84). Here a snapshot is taken of a master that still answers, unless the request names a snapshot:
 * a new one might then push the named one out of those that are kept.
 */
export function healStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return terminateStart(hook);
  const healing = healingOf(hook, settings);
  if (healing === undefined) return NOTHING;
  const { shape, steps, healed, masters, survivors, storage } = healing;
  if (survivors.length === 0) {
    const moved = masterMoved(shape, hook.clusterUrl);
    if (moved !== undefined)
      throw new TerminalError('cluster.master-moved', `${moved}. Nothing was begun: roll this operation back, then heal again`);
    return namedSnapshot(hook) === undefined ? { common: steps.common, root: sequence(snapshotKept(steps, masters)) } : NOTHING;
  }
  const volumesGo = storage === undefined ? [] : [...storage.unbound(survivors), ...storage.removed(survivors)];
  const nodesGo = healed.length === 0 ? [] : nodesLeave(healing, hook);
  // Before a node leaves: the cluster has to answer, and what the replacement installs has to be available.
  const looked =
    healed.length === 0
      ? []
      : [certificates(steps, survivors), ...versionRead(steps, survivors, hook), snapshotKept(steps, survivors)];
  return { common: steps.common, root: sequence(...looked, ...volumesGo, ...nodesGo) };
}

function nodesLeave({ steps, healed, masters, survivors }: Healing, hook: HookContext): PlanNode[] {
  const packaged = scriptOf(hook).kind === 'packaged';
  const balanced = packaged ? scriptBalancer(steps, { unlisted: masters }) : balancer(steps, survivors);
  const { nodes, removals } = drained(steps, healed, survivors, hook);
  return [
    steps.names(survivors),
    ...quorum(steps, masters, survivors, { replaced: true }),
    ...nodes,
    ...(masters.length === 0
      ? []
      : [parallel(survivors.flatMap((node) => balanced.changed(node, survivors, { undoable: true })))]),
    parallel(masters.flatMap((master) => balanced.left(master, survivors))),
    serial(masters.map((master) => outOfEtcd(steps, master, survivors))),
    removals,
  ];
}

/** Has the replaced nodes join. The replaced storage server exports the content of its volumes again. */
export function healEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return madeAnew(hook, instantiateEnd(hook, settings));
  const healing = healingOf(hook, settings);
  if (healing === undefined) return NOTHING;
  const { steps, shape, healed, storage, survivors } = healing;
  if (survivors.length === 0) return restored(hook, settings, { shape, steps, healed });
  const nodesCome = healed.length === 0 ? [] : [sequence(...nodesJoin(healing, hook))];
  const server = storage?.serverSetUp() ?? [];
  return {
    common: steps.common,
    root: sequence(parallel([...nodesCome, ...server]), ...(storage?.registered(survivors, nodesOf(shape)) ?? [])),
  };
}

function nodesJoin({ steps, healed, masters, survivors, shape }: Healing, hook: HookContext): PlanNode[] {
  const packaged = scriptOf(hook).kind === 'packaged';
  const balanced = packaged ? scriptBalancer(steps, { listed: masters }) : balancer(steps, shape.masters);
  const stayed = nodesOf(shape).filter(({ address }) => healed.every((node) => node.address !== address));
  return [
    steps.names(survivors),
    ...versionRead(steps, survivors, hook),
    ...connectedAnew(steps, stayed),
    // There is no undo past the replacement: the previous VM is gone.
    ...arrived(steps, healed, survivors, hook, { undoable: false }),
    ...(masters.length === 0
      ? []
      : [
          parallel(survivors.flatMap((node) => balanced.changed(node, survivors, { undoable: false }))),
          ...survivors.slice(0, 1).flatMap((node) => balanced.verified(node, shape.masters)),
        ]),
    told(steps, stayed, survivors),
    ...verified(steps, hook, shape.masters, healed),
  ];
}
