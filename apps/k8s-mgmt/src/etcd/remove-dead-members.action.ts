import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { takeOutDead } from './dead-members.js';
import type { EtcdStepInput, EtcdContext } from './etcd-context.js';

/**
 * Takes members out of etcd that are dead, and whose masters are no part of the operation: kubeadm has no master join while a member does not
 * answer. Its notes are the masters that have no member then. It can't be undone: who has left joins as a new member, by a heal.
 */
export const removeDeadMembers = implementAction(
  declared<EtcdStepInput, { notes?: string[] } | undefined>('remove-dead-members'),
  {
    apply: async (context: EtcdContext<EtcdStepInput>) => {
      await takeOutDead(context);
      const members = await context.etcd.members();
      const without = context.input.masters.filter(({ address }) => !members.some((member) => member.address === address));
      if (without.length === 0) return undefined;
      return {
        notes: without.map(({ address }) => `the master at ${address} has no member of etcd, and votes no more: heal it`),
      };
    },
    stop: (context) => context.stop(),
    retry: { attempts: 3, backoff: seconds(5), growth: 2 },
  },
);
