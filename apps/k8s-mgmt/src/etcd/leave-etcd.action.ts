import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { EtcdContext, EtcdStepInput, LeavingMaster } from './etcd-context.js';

export interface LeaveEtcdInput extends EtcdStepInput {
  leaving: LeavingMaster;
}

export interface LeaveEtcdOutput {
  /** What was done, as sentences. */
  did: string[];
  /** What a person should know of it: the operation's warnings, by the trait `contributes`. */
  notes?: string[];
}

/** Removes a master's member from etcd, leader or dead. There is no undo: a master that has left joins as a new member. */
export const leaveEtcd = implementAction(declared<LeaveEtcdInput, LeaveEtcdOutput>('leave-etcd'), {
  apply: async ({ etcd, input }: EtcdContext<LeaveEtcdInput>): Promise<LeaveEtcdOutput> => {
    const { did, notes } = await etcd.leave(input.leaving.address);
    return { did, ...(notes.length === 0 ? {} : { notes }) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
