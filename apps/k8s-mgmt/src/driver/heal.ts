import { TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { sequence, type Plan } from '@windlass/saga';
import type { K8sMgmtSettings } from '../settings.js';
import { instantiateEnd, verified } from './instantiate-end.js';
import { clusterOf, nodesAmong, nodesOf, type ClusterNode } from './nodes.js';
import { ClusterSteps } from './node-steps.js';
import { arrived, left, told } from './scale.js';
import { terminateEnd } from './terminate.js';

const NOTHING: Plan = { root: sequence() };

/** What is healed leaves the cluster before its VM is replaced. Of a cluster that is healed as a whole nothing stays, its VIM neither. */
export function healStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return terminateEnd(hook);
  const healed = targets(hook);
  if (healed.length === 0) return NOTHING;
  const shape = clusterOf(hook);
  refuseMasters(healed);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  return {
    common: steps.common,
    root: sequence(steps.names(shape.masters), ...left(steps, healed, shape.masters, hook)),
  };
}

/** What came in its place joins. */
export function healEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return instantiateEnd(hook, settings);
  const healed = targets(hook);
  if (healed.length === 0) return NOTHING;
  refuseMasters(healed);
  const shape = clusterOf(hook);
  const { masters } = shape;
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const stayed = nodesOf(shape).filter(({ address }) => healed.every((node) => node.address !== address));
  return {
    common: steps.common,
    root: sequence(
      steps.names(masters),
      // Past the replacement there is no way back: the old VM is gone.
      ...arrived(steps, healed, masters, hook, { undoable: false }),
      told(steps, stayed, masters),
      ...verified(steps, hook, masters),
    ),
  };
}

const targets = (hook: HookContext): ClusterNode[] =>
  nodesAmong(
    hook,
    hook.vnfcs.filter(({ id }) => hook.heal?.vnfcIds.includes(id) === true),
  );

function refuseMasters(nodes: readonly ClusterNode[]): void {
  const master = nodes.find(({ role }) => role === 'master');
  if (master !== undefined)
    throw new TerminalError(
      'cluster.master-heal',
      `${master.vnfc.name} is a master: this release heals workers, and clusters as a whole`,
    );
}
