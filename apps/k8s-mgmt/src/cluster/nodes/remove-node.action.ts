import { minutes, seconds, waitUntil, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { NodeStepInput } from '../node-input.js';

/**
 * Takes a node out of the cluster. The undo restarts the node's kubelet, which enters the node again. A machine that can't be reached stays out: it
 * was no working part of the cluster before.
 */
export const removeNode = implementAction(declared<NodeStepInput>('remove-node'), {
  apply: async ({ cluster, input }: NodeContext<NodeStepInput>) => {
    const name = await cluster.nameOf(input.node.address);
    if (name !== undefined) await cluster.deleteNode(name);
    return undefined;
  },
  undo: async ({ cluster, host, node, run }) => {
    if ((await cluster.nameOf(node.address)) !== undefined) return;
    try {
      await host.job('restart-kubelet', { run: cmd`systemctl restart kubelet`, within: minutes(2) });
    } catch (error) {
      if (!(error instanceof WindlassError) || error.code !== 'remote.unreachable') throw error;
      run.progress(`${node.address} can't be reached: it stays out of the cluster`);
      return;
    }
    await waitUntil(async () => ((await cluster.nameOf(node.address)) === undefined ? undefined : true), {
      for: `the kubelet on ${node.address} to enter its node again`,
      within: minutes(3),
      every: seconds(1),
      signal: run.signal,
    });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});
