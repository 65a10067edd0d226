import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { takeOutDead } from './dead-members.js';
import type { EtcdStepInput, EtcdContext } from './etcd-context.js';

/**
 * Removes dead members from etcd whose masters are not part of the operation: kubeadm lets no master join while a member does not answer. Notes name
 * the masters without a member. There is no undo: such a master joins as a new member, by a heal.
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
