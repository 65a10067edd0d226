import { isSilence } from '@windlass/driver-kit';
import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { NodeContext } from '../node/node-context.js';

/**
 * Brings a node that stayed back into the restored cluster. A kubelet enters its node only when it starts, so the kubelet of a node that joined after
 * the snapshot is restarted. Other nodes find the API at its earlier address. A machine that does not answer was no working part of the cluster
 * before.
 */
export const reconnectNode = implementAction(declared<NodeStepInput, Noted | undefined>('reconnect-node'), {
  apply: async (context: NodeContext<NodeStepInput>) => {
    const { cluster, host, node, run } = context;
    if ((await cluster.nameOf(node.address)) !== undefined) return undefined;
    context.progress(`${node.address} came after the snapshot: its kubelet enters it again`);
    try {
      await host.job('restart-kubelet', { run: cmd`systemctl restart kubelet`, within: minutes(2) });
    } catch (error) {
      if (!isSilence(error)) throw error;
      return { notes: [`${node.address} came after the snapshot and does not answer: the cluster does not know it; heal it`] };
    }
    await waitUntil(async () => ((await cluster.nameOf(node.address)) === undefined ? undefined : true), {
      for: `the kubelet on ${node.address} to enter its node again`,
      within: minutes(3),
      every: seconds(1),
      signal: run.signal,
    });
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});
