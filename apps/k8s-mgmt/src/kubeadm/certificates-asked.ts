import type { HookContext } from '@windlass/mgmt-driver';
import { sequence, stepOf, type Plan, type Step } from '@windlass/saga';
import { checkRenewal } from '../certificates/check-renewal.action.js';
import { renewCertificates } from '../certificates/renew-certificates.action.js';
import { clusterOf } from '../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { keptCertificates } from './steps/kept-certificates.js';
import { ClusterSteps } from './steps/node-steps.js';

const NOTHING: Plan = { root: sequence() };

/** The plan of a modification that concerns the cluster's certificates (ADR 85); an empty plan for any other modification. */
export function certificatesAsked(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const { windlassCertificates: task } = hook.request;
  if (task !== 'look' && task !== 'renew') return NOTHING;
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  const renewal = task === 'renew' ? renewalOf(steps) : [];
  return { common: steps.common, root: sequence(...renewal, keptCertificates(steps, shape.masters)) };
}

/** Renews one master after another: each waits until the master before it answers again. There is no undo: renewed certificates stay. */
function renewalOf(steps: ClusterSteps): Step[] {
  const { masters, endpoint } = steps.shape;
  const traits = { undoable: false };
  const input = { instance: steps.instance, masters: steps.masters(masters) };
  return [
    stepOf(checkRenewal, { target: endpoint.address, traits, input }),
    ...masters.map((master) =>
      steps.step(renewCertificates, master, { instance: steps.instance, masters: steps.masters([master]) }, traits),
    ),
  ];
}
