import type { MasterInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { NodeStepInput } from '../node-input.js';

export interface JoinControlPlaneInput extends NodeStepInput {
  /** Those that are masters already, in no order: any one that lives is asked. */
  masters: MasterInput[];
  /** The VM is deleted where this is undone: then nothing has to be taken off it, and it need not be reached. */
  goesWithVm?: boolean;
}

/** Makes a node a further master of the cluster, with a member of etcd that votes. */
export const joinControlPlane = defineAction<JoinControlPlaneInput>({
  service: 'k8s-mgmt',
  name: 'join-control-plane',
  version: 1,
});
