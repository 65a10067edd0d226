import type { MasterInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { ClusterStepInput } from '../cluster/node-input.js';

// What the actions on a cluster's etcd take and give. They run on masters that stay, and ask nothing of those that leave.

/** The same as K8S_SERVICE of ../cluster/contracts.ts. */
const declared = (name: string) => ({ service: 'k8s-mgmt', name, version: 1 });

export interface EtcdStepInput extends ClusterStepInput {
  /** Masters that stay, in no order: any one that lives is asked. */
  masters: MasterInput[];
}

/** Who leaves, or left without a word. */
export interface LeavingMaster {
  name: string;
  /** In the cluster's network: by it its member is known. */
  address: string;
}

export interface LeaveEtcdInput extends EtcdStepInput {
  leaving: LeavingMaster;
}

export interface LeaveEtcdOutput {
  /** What was done, as sentences. */
  did: string[];
  /** What a person should know of it: the operation's warnings, by the trait `contributes`. */
  notes?: string[];
}

export interface CheckQuorumInput extends EtcdStepInput {
  /** In the order in which they are to leave. */
  leaving: LeavingMaster[];
  /** Whether new ones join in their places when all have left. */
  replaced: boolean;
}

/** Looks whether masters may leave etcd one after another, before any is touched. */
export const checkQuorum = defineAction<CheckQuorumInput, { why: string }>(declared('check-quorum'));

/**
 * Takes members out of etcd that are dead, and whose masters are no part of the operation: kubeadm has no master join while a member does not answer.
 * Its notes are the masters that have no member then.
 */
export const removeDeadMembers = defineAction<EtcdStepInput, { notes?: string[] } | undefined>(declared('remove-dead-members'));

/** Takes a master's member out of etcd, leader or dead. */
export const leaveEtcd = defineAction<LeaveEtcdInput, LeaveEtcdOutput>(declared('leave-etcd'));
