import { createHash } from 'node:crypto';
import { minutes, seconds, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import type { ClusterInput } from '../node/node-input.js';
import { proxyEnvironmentFile } from '../node/proxy-files.js';
import { UPDATE_PEERS } from '../node/scripts.js';
import { updatePeers, type Noted, type UpdatePeersInput } from './contracts.js';
import { hostLines } from './prepare-node.action.js';

type Context = NodeContext<UpdatePeersInput>;

/** Tells a node that stays who its peers are by now: in /etc/hosts, and in what containerd reaches without a proxy. */
export const updatePeersWork = implementAction(updatePeers, {
  check: (context: Context) => knows(context, context.input.cluster),
  apply: async (context): Promise<Noted | undefined> => {
    try {
      await tell(context, 'update-peers', context.input.cluster);
      return undefined;
    } catch (error) {
      // A node that is dead already keeps nobody from coming or going; it is healed by a heal.
      if (!(await isGone(context, error))) throw error;
      return { notes: [`${context.node.name} does not answer: its /etc/hosts and no_proxy are as they were`] };
    }
  },
  undo: async (context) => {
    const { before, noProxyBefore, cluster } = context.input;
    if (before === undefined) return;
    const now = new Set(cluster.nodes.map(({ address }) => address));
    const then = new Set(before.map(({ address }) => address));
    const stayed = cluster.noProxy.split(',').filter((entry) => !now.has(entry) || then.has(entry));
    const noProxy = [...stayed, ...[...then].filter((address) => !now.has(address))].join(',');
    try {
      await tell(context, 'restore-peers', { ...cluster, nodes: before, noProxy: noProxyBefore ?? noProxy });
    } catch (error) {
      if (!(await isGone(context, error))) throw error;
      context.run.progress(`${context.node.name} does not answer: its /etc/hosts and no_proxy are as they were`);
    }
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

async function knows(context: Context, cluster: ClusterInput): Promise<boolean> {
  const digest = createHash('sha256').update(hostLines(cluster)).digest('hex');
  try {
    const named = await context.sees(
      cmd`test "$(sed -n '/^# windlass: begin$/,/^# windlass: end$/p' /etc/hosts | sha256sum | cut -c 1-64)" = ${digest}`,
    );
    const proxies = proxyEnvironmentFile(context.input.proxy ?? {}, cluster.noProxy);
    if (!named || proxies.reveal() === '') return named;
    return await context.sees(cmd`test ! -e ${PROXIES} || cmp -s - ${PROXIES}`, proxies);
  } catch (error) {
    if (unreachable(error)) return false;
    throw error;
  }
}

const PROXIES = '/etc/containerd/windlass-proxy.env';

async function tell(context: Context, job: string, cluster: ClusterInput): Promise<void> {
  await context.script(job, {
    text: UPDATE_PEERS,
    within: minutes(5),
    arguments: async (files) => {
      await files.put('hosts', hostLines(cluster));
      await files.put('proxies', proxyEnvironmentFile(context.input.proxy ?? {}, cluster.noProxy));
      return [files.path('hosts'), files.path('proxies')];
    },
  });
}

const unreachable = (error: unknown): boolean =>
  error instanceof WindlassError && (error.code === 'remote.unreachable' || error.code === 'remote.connection-lost');

/** Neither we nor the cluster can reach it. */
async function isGone({ cluster, node }: Context, error: unknown): Promise<boolean> {
  if (!unreachable(error)) return false;
  const nodes = await cluster.nodes();
  return nodes !== undefined && !nodes.some(({ ready, addresses }) => ready && addresses.includes(node.address));
}
