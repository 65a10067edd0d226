import type { MastersStepInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { Noted } from '../cluster/contracts.js';

/** Looks whether the control plane's certificates are good, before anything is made or touched. Every master that stays is one of `masters`. */
export const checkCertificates = defineAction<MastersStepInput, Noted | undefined>({
  service: 'k8s-mgmt',
  name: 'check-certificates',
  version: 1,
});

/** A certificate of the control plane, as it is kept with the instance. */
export type KeptCertificate = {
  /** Address of the master that has it. */
  master: string;
  /** Below `/etc/kubernetes/pki`, or a kubeconfig's. */
  name: string;
  /** Seconds since 1970. */
  endsAt: number;
};

export type KeptCertificates = Noted & { instance?: { certificates: KeptCertificate[] } };

/** Looks when the control plane's certificates end, after something was done to the cluster, and gives it to the instance. Nothing fails for it. */
export const listCertificates = defineAction<MastersStepInput, KeptCertificates>({
  service: 'k8s-mgmt',
  name: 'list-certificates',
  version: 1,
});

/**
 * Looks on every master whether their certificates can be renewed one after another, before any is: all have to be there, and their etcds to
 * understand each other by then. `masters` are all.
 */
export const checkRenewal = defineAction<MastersStepInput>({
  service: 'k8s-mgmt',
  name: 'check-renewal',
  version: 1,
});

/** Renews the control plane's certificates on one master, the only one of `masters`, and starts its control plane anew, a part at a time. */
export const renewCertificates = defineAction<MastersStepInput>({
  service: 'k8s-mgmt',
  name: 'renew-certificates',
  version: 1,
});

/** All of them, for the driver's list. */
export const certificatesActions = [checkCertificates, listCertificates, checkRenewal, renewCertificates];
