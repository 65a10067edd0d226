import { stepOf, type Step } from '@windlass/saga';
import type { Noted } from '../actions/contracts.js';
import { keepSnapshot } from '../snapshots/contracts.js';
import type { ClusterNode } from './nodes.js';
import type { ClusterSteps } from './node-steps.js';

/** Keeps what the control plane is, of any of these masters, before an operation changes anything of the cluster. */
export const snapshotKept = (steps: ClusterSteps, masters: readonly ClusterNode[]): Step<Noted | undefined> =>
  stepOf(keepSnapshot, {
    target: steps.shape.endpoint.address,
    traits: { undoable: false, contributes: true },
    input: { instance: steps.instance, masters: steps.masters(masters) },
  });
