import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, sequence, type Plan } from '@windlass/saga';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { mastersLeave, mastersListed } from './heal-master.js';
import { restored } from './heal-only-master.js';
import { volumesCome, volumesLeave } from './heal-storage.js';
import { wholeComes, wholeLeaves } from './heal-whole.js';
import { nodesJoin, nodesLeave } from './heal-worker.js';
import { healingOf } from './healing.js';
import { namedSnapshot } from './parameters/named-snapshot.js';
import { versionRead } from './scale.js';
import { snapshotKept } from './snapshot.js';
import { certificates } from './steps/preflight.js';
import { masterMoved } from './steps/moved-master.js';

const NOTHING: Plan = { root: sequence() };

/**
 * Takes healed nodes out of the cluster before their VMs are replaced, without their help, for they may be dead.
 * Before a heal of the whole, the step checks that nobody uses the cluster as a VIM.
 * Looks come first: at the certificates, at the version, and by a snapshot of etcd. Then PersistentVolumes are removed before their storage server,
 * after a check that none of them is in use.
 * The only master is restored from a snapshot (ADR 84), in healEnd. A master that still answers gets a new snapshot before, unless the request names
 * one: a new snapshot could push the named one out of those that are kept. A storage server is never healed with the only master (check-only-master).
 */
export function healStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return wholeLeaves(hook);
  const healing = healingOf(hook, settings);
  if (healing === undefined) return NOTHING;
  const { shape, steps, healed, masters, survivors } = healing;
  if (survivors.length === 0) {
    const moved = masterMoved(shape, hook.clusterUrl);
    if (moved !== undefined)
      throw new TerminalError('cluster.master-moved', `${moved}. Nothing was begun: roll this operation back, then heal again`);
    return namedSnapshot(hook) === undefined ? { common: steps.common, root: sequence(snapshotKept(steps, masters)) } : NOTHING;
  }
  const nodesGo = healed.length === 0 ? [] : nodesLeave(healing, hook, mastersLeave(healing, hook));
  // Before a node leaves: the cluster has to answer, and what the replacement installs has to be available.
  const looked =
    healed.length === 0
      ? []
      : [certificates(steps, survivors), ...versionRead(steps, survivors, hook), snapshotKept(steps, survivors)];
  return { common: steps.common, root: sequence(...looked, ...volumesLeave(healing), ...nodesGo) };
}

/** Has the replaced nodes join. The replaced storage server exports the content of its volumes again. */
export function healEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return wholeComes(hook, settings);
  const healing = healingOf(hook, settings);
  if (healing === undefined) return NOTHING;
  const { steps, shape, healed, survivors } = healing;
  if (survivors.length === 0) return restored(hook, settings, { shape, steps, healed });
  const nodesCome = healed.length === 0 ? [] : [sequence(...nodesJoin(healing, hook, mastersListed(healing, hook)))];
  const { server, volumes } = volumesCome(healing);
  return { common: steps.common, root: sequence(parallel([...nodesCome, ...server]), ...volumes) };
}
