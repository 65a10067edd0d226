import { kubectl } from '@windlass/driver-kit';
import { minutes, seconds, TransientError, TerminalError } from '@windlass/foundation';
import { cmd, type JobFiles, type PreparedRun } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { takeOutDead } from '../../etcd/dead-members.js';
import { RESET_NODE } from '../../node/scripts.js';
import { declared } from '../action.js';
import { caHashOn } from '../kube-cluster.js';
import { joinConfiguration } from '../kubeadm-config.js';
import type { ControlPlaneContext, JoinControlPlaneInput } from './control-plane-context.js';
import { JOIN_CONTROL_PLANE } from './scripts.js';
import { shareCertificates, withdrawCertificates } from './shared-certificates.js';

/**
 * Makes a node a further master of the cluster, with a member of etcd that votes. Masters join one at a time: they share one set of uploaded
 * certificates, and etcd takes one learner.
 */
export const joinControlPlane = implementAction(declared<JoinControlPlaneInput>('join-control-plane'), {
  check: async (context: ControlPlaneContext) =>
    (await isOfThisCluster(context)) &&
    (await votes(context)) &&
    (await context.sees(kubectl(context.node, cmd`get --raw /readyz`))) &&
    (await hasKubeconfig(context)),
  apply: async (context) => {
    await join(context);
    return undefined;
  },
  undo: async (context) => {
    const { cluster, node } = context;
    await withdrawCertificates(cluster);
    await cluster.revokeJoinTokens();
    await cluster.drain(node.name, { within: minutes(5) });
    await context.etcd.leave(node.address);
    await cluster.deleteNode(node.name);
    if (context.input.goesWithVm === true) return;
    await context.script('reset-node', { text: RESET_NODE, within: minutes(5), arguments: () => [node.username] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});

/**
 * Whether this cluster lists the node as a control plane, and the node has its CA. kubeadm marks a control plane nearly last; a file on the node
 * proves nothing, because a join that was killed leaves files.
 */
async function isOfThisCluster(context: ControlPlaneContext): Promise<boolean> {
  const { cluster } = context;
  const node = await cluster.ask(cmd`get node ${context.node.name} -o json`);
  const { labels = {} } = (node?.metadata ?? {}) as { labels?: Record<string, string> };
  return (
    labels['node-role.kubernetes.io/control-plane'] !== undefined && (await caHashOn(context.host)) === (await cluster.caHash())
  );
}

/** Whether the node's etcd member votes. A learner does not count: without the third vote a cluster of three masters can't lose one. */
async function votes({ etcd, node }: ControlPlaneContext): Promise<boolean> {
  const member = await etcd.memberAt(node.address);
  return member?.voting === true && member.healthy;
}

const hasKubeconfig = (context: ControlPlaneContext): Promise<boolean> =>
  context.sees(cmd`cmp -s /etc/kubernetes/admin.conf "$(getent passwd ${context.node.username} | cut -d: -f6)/.kube/config"`);

/** Token and key are made when the job starts, not when a worker attaches to a running job. Both are withdrawn when the job has ended. */
async function join(context: ControlPlaneContext): Promise<void> {
  try {
    await context.host.job('kubeadm-join', {
      prepare: (files) => prepareJoin(context, files),
      after: async (token) => {
        await context.cluster.revoke(token);
        await withdrawCertificates(context.cluster);
      },
      within: minutes(20),
      onOutput: ({ text }) => context.progress(text),
    });
  } catch (error) {
    // As for workers: kubeadm's exit status does not say whether another try may help.
    if (error instanceof TerminalError && error.code === 'remote.command-failed')
      throw new TransientError('node.join-failed', error.message, { cause: error });
    throw error;
  }
}

async function prepareJoin(context: ControlPlaneContext, files: JobFiles): Promise<PreparedRun> {
  const { node, input, cluster, kubeadmEnvironment: env } = context;
  await clearAway(context);
  const { key: certificateKey, configuration } = await shareCertificates(cluster, await context.living(), env);
  const token = await cluster.mintJoinToken({ lives: minutes(20) });
  const caHash = await cluster.caHash();
  await files.put('join.yaml', joinConfiguration({ node, cluster: input.cluster, token, caHash, certificateKey }), {
    mode: 0o600,
  });
  await files.put('cluster.yaml', configuration);
  await files.put('script.sh', JOIN_CONTROL_PLANE);
  const words = [files.path('join.yaml'), files.path('cluster.yaml'), node.username];
  return { run: cmd`/bin/bash ${files.path('script.sh')} ${words}`, env, receipt: token };
}

/**
 * Removes the node and etcd member of an earlier attempt, or of the previous VM. kubeadm does not join an etcd with a member that does not answer,
 * and an etcd that starts empty under an old member's id can't be trusted.
 */
async function clearAway(context: ControlPlaneContext): Promise<void> {
  const { cluster, etcd, node } = context;
  if ((await etcd.memberAt(node.address)) !== undefined) await etcd.leave(node.address);
  if (await cluster.lists(node.name)) await cluster.deleteNode(node.name);
  // A further member may have died since the step that removes dead members.
  await takeOutDead(context);
}
