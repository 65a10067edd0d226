import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { EtcdContext, EtcdStepInput, LeavingMaster } from './etcd-context.js';

export interface CheckQuorumInput extends EtcdStepInput {
  /** In the order in which they are to leave. */
  leaving: LeavingMaster[];
  /** Whether new masters join once all these have left. */
  replaced: boolean;
}

/** Checks that masters may leave etcd one after another, before any is touched. The step changes nothing; a person has to mend what prevents it. */
export const checkQuorum = implementAction(declared<CheckQuorumInput, { why: string }>('check-quorum'), {
  apply: async ({ etcd, input }: EtcdContext<CheckQuorumInput>): Promise<{ why: string }> => {
    const addresses = input.leaving.map(({ address }) => address);
    const { may, why } = await etcd.mayLeave(addresses, { replaced: input.replaced });
    if (!may) throw new TerminalError('etcd.quorum', why);
    return { why };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
