import { minutes, seconds, TransientError, TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../../node/node-context.js';
import { JOIN_WORKER, RESET_NODE } from '../../node/scripts.js';
import { declared } from '../action.js';
import { caHashOn } from '../kube-cluster.js';
import { joinConfiguration } from '../kubeadm-config.js';
import type { NodeStepInput } from '../node-input.js';

export interface JoinWorkerInput extends NodeStepInput {
  /** Whether the undo of the operation deletes the VM. The undo of the step then clears nothing on the VM, and does not need to reach it. */
  goesWithVm?: boolean;
}

type Context = NodeContext<JoinWorkerInput>;

/** Makes a node a worker of the cluster. */
export const joinWorker = implementAction(declared<JoinWorkerInput>('join-worker'), {
  /** Listed in *this* cluster, by its CA hash: a file that kubeadm leaves half-way proves nothing. Ready comes later. */
  check: async ({ cluster, host, node }: Context) =>
    (await cluster.lists(node.name)) && (await caHashOn(host)) === (await cluster.caHash()),
  apply: async (context) => {
    const { cluster, node } = context;
    // The check has failed, and yet a node of this name is listed: that of the previous VM, or of an attempt that did not end.
    if (await cluster.lists(node.name)) await cluster.deleteNode(node.name);
    await join(context);
    return undefined;
  },
  undo: async (context) => {
    const { cluster, node } = context;
    await cluster.revokeJoinTokens();
    await cluster.drain(node.name, { within: minutes(5) });
    await cluster.deleteNode(node.name);
    if (context.input.goesWithVm === true) return;
    await context.script('reset-node', { text: RESET_NODE, within: minutes(5), arguments: () => [''] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});

/** The token is made when the job starts, not when a worker attaches to a running job, and revoked when the job has ended. */
async function join(context: Context): Promise<void> {
  const { cluster, host, node, input, kubeadmEnvironment: env } = context;
  try {
    await host.job('kubeadm-join', {
      prepare: async (files) => {
        const token = await cluster.mintJoinToken({ lives: minutes(10) });
        const configuration = joinConfiguration({ node, cluster: input.cluster, token, caHash: await cluster.caHash() });
        await files.put('join.yaml', configuration, { mode: 0o600 });
        await files.put('script.sh', JOIN_WORKER);
        return { run: cmd`/bin/bash ${files.path('script.sh')} ${files.path('join.yaml')}`, env, receipt: token };
      },
      after: (token) => cluster.revoke(token),
      within: minutes(10),
      onOutput: ({ text }) => context.progress(text),
    });
  } catch (error) {
    // kubeadm's exit status does not say whether another try may help. The step tries three times.
    if (error instanceof TerminalError && error.code === 'remote.command-failed')
      throw new TransientError('node.join-failed', error.message, { cause: error });
    throw error;
  }
}
