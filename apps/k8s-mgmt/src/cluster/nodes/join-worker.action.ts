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
  /** Undone, its VM goes as a whole: nothing is to be cleared away on it, and it need not answer. */
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
    // Somebody of our name is listed whom the check did not take for us: a VM that was replaced, or an attempt that did not end.
    if (await cluster.lists(node.name)) await cluster.deleteNode(node.name);
    await join(context);
    return undefined;
  },
  undo: async (context) => {
    const { cluster, node } = context;
    await cluster.drain(node.name, { within: minutes(5) });
    await cluster.deleteNode(node.name);
    if (context.input.goesWithVm === true) return;
    await context.script('reset-node', { text: RESET_NODE, within: minutes(5), arguments: () => [''] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});

/** The token is made only when the job starts, not when we attach to one that runs, and revoked when it has ended. */
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
    // kubeadm tells nobody by its exit status whether trying again is of use; three times it is.
    if (error instanceof TerminalError && error.code === 'remote.command-failed')
      throw new TransientError('node.join-failed', error.message, { cause: error });
    throw error;
  }
}
