import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { checkQuorum, type CheckQuorumInput } from './contracts.js';
import type { EtcdContext } from './etcd-context.js';

/** Looks whether masters may leave etcd, before any is touched: nothing is changed, and a person has to mend what stands against it. */
export const checkQuorumWork = implementAction(checkQuorum, {
  apply: async ({ etcd, input }: EtcdContext<CheckQuorumInput>): Promise<{ why: string }> => {
    const addresses = input.leaving.map(({ address }) => address);
    const { may, why } = await etcd.mayLeave(addresses, { replaced: input.replaced });
    if (!may) throw new TerminalError('etcd.quorum', why);
    return { why };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
