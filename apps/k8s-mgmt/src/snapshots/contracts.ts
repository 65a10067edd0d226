import type { MastersStepInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { Noted } from '../actions/contracts.js';

/** Keeps a snapshot of the control plane, of any master that answers; that there is none is noted, with why, and stops nothing. */
export const keepSnapshot = defineAction<MastersStepInput, Noted | undefined>({
  service: 'k8s-mgmt',
  name: 'keep-snapshot',
  version: 1,
});
