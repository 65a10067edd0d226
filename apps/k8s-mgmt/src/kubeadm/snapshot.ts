import type { HookContext } from '@windlass/mgmt-driver';
import { sequence, stepOf, type Plan, type Step } from '@windlass/saga';
import type { Noted } from '../cluster/action.js';
import { clusterOf, type ClusterNode } from '../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { keepSnapshot } from '../snapshots/keep-snapshot.action.js';
import { ClusterSteps } from './steps/node-steps.js';

/**
 * Takes a snapshot of the control plane, through any of these masters, before an operation changes the cluster. No other step of the instance runs on
 * these masters meanwhile: of two snapshots at once, one would delete the other's archive.
 */
export const snapshotKept = (steps: ClusterSteps, masters: readonly ClusterNode[]): Step<Noted | undefined> =>
  stepOf(keepSnapshot, {
    target: steps.shape.endpoint.address,
    limits: masters.map(({ vnfc }) => `host:${vnfc.resourceId}`),
    traits: { undoable: false, contributes: true },
    input: { instance: steps.instance, masters: steps.masters(masters) },
  });

/** What somebody, or the schedule, asks for by a modification of the cluster's snapshots (ADR 84). */
export function snapshotAsked(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const shape = clusterOf(hook);
  const steps = new ClusterSteps(hook, shape, settings, 'looked-up');
  return { common: steps.common, root: sequence(snapshotKept(steps, shape.masters)) };
}
