import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { removeDeadMembers, type EtcdStepInput } from './contracts.js';
import { takeOutDead } from './dead-members.js';
import type { EtcdContext } from './etcd-context.js';

/** It can't be undone: who has left joins as a new member, by a heal. */
export const removeDeadMembersWork = implementAction(removeDeadMembers, {
  apply: async (context: EtcdContext<EtcdStepInput>) => {
    await takeOutDead(context);
    const members = await context.etcd.members();
    const without = context.input.masters.filter(({ address }) => !members.some((member) => member.address === address));
    if (without.length === 0) return undefined;
    return { notes: without.map(({ address }) => `the master at ${address} has no member of etcd, and votes no more: heal it`) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
