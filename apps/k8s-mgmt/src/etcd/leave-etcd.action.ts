import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { leaveEtcd, type LeaveEtcdInput, type LeaveEtcdOutput } from './contracts.js';
import type { EtcdContext } from './etcd-context.js';

/** Takes a master's member out of etcd. It can't be undone: who has left joins as a new member. */
export const leaveEtcdWork = implementAction(leaveEtcd, {
  apply: async ({ etcd, input }: EtcdContext<LeaveEtcdInput>): Promise<LeaveEtcdOutput> => {
    const { did, notes } = await etcd.leave(input.leaving.address);
    return { did, ...(notes.length === 0 ? {} : { notes }) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
