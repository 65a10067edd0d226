import type { MastersStepInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { Noted } from '../actions/contracts.js';

/** Looks whether the control plane's certificates are good, before anything is made or touched. Every master that stays is one of `masters`. */
export const checkCertificates = defineAction<MastersStepInput, Noted | undefined>({
  service: 'k8s-mgmt',
  name: 'check-certificates',
  version: 1,
});
