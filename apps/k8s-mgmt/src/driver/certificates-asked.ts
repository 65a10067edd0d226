import type { HookContext } from '@windlass/mgmt-driver';
import { sequence, type Plan } from '@windlass/saga';
import type { K8sMgmtSettings } from '../settings.js';
import { keptCertificates } from './kept-certificates.js';
import { ClusterSteps } from './node-steps.js';
import { clusterOf } from './nodes.js';

const NOTHING: Plan = { root: sequence() };

/** What a modification of the cluster's certificates does (ADR 85); of another nothing. */
export function certificatesAsked(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const { windlassCertificates: task } = hook.request;
  if (task !== 'look') return NOTHING;
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  return { common: steps.common, root: sequence(keptCertificates(steps, shape.masters)) };
}
