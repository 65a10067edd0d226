import { createHash } from 'node:crypto';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import { unlessGone } from '../../node/gone-peer.js';
import type { NodeContext } from '../../node/node-context.js';
import { hostLines } from '../../node/prepare-node.action.js';
import { proxyEnvironmentFile } from '../../node/proxy-files.js';
import { UPDATE_PEERS } from '../../node/scripts.js';
import { declared, type Noted } from '../action.js';
import type { ClusterInput, NamedNode, NodeStepInput } from '../node-input.js';

export interface UpdatePeersInput extends NodeStepInput {
  /** The nodes as they were, for the undo. */
  before?: NamedNode[];
  /** `noProxy` as it was, for the undo. Where it is not given, the undo exchanges the nodes' addresses in `noProxy`. */
  noProxyBefore?: string;
}

type Context = NodeContext<UpdatePeersInput>;

/** Tells a node that stays who its peers are by now: in /etc/hosts, and in what containerd reaches without a proxy. */
export const updatePeers = implementAction(declared<UpdatePeersInput, Noted | undefined>('update-peers'), {
  check: async (context: Context) =>
    (await unlessGone(context, () => knows(context, context.input.cluster))) ?? present({ notes: [asItWas(context)] }),
  apply: async (context): Promise<Noted | undefined> => {
    const told = await unlessGone(context, () => tell(context, 'update-peers', context.input.cluster));
    return told === undefined ? { notes: [asItWas(context)] } : undefined;
  },
  undo: async (context) => {
    const { before, noProxyBefore, cluster } = context.input;
    if (before === undefined) return;
    const now = new Set(cluster.nodes.map(({ address }) => address));
    const then = new Set(before.map(({ address }) => address));
    const stayed = cluster.noProxy.split(',').filter((entry) => !now.has(entry) || then.has(entry));
    const noProxy = [...stayed, ...[...then].filter((address) => !now.has(address))].join(',');
    const earlier = { ...cluster, nodes: before, noProxy: noProxyBefore ?? noProxy };
    const told = await unlessGone(context, () => tell(context, 'restore-peers', earlier));
    if (told === undefined) context.run.progress(asItWas(context));
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

const asItWas = ({ node }: Context): string => `${node.name} does not answer: its /etc/hosts and no_proxy are as they were`;

async function knows(context: Context, cluster: ClusterInput): Promise<boolean> {
  const digest = createHash('sha256').update(hostLines(cluster)).digest('hex');
  const named = await context.sees(
    cmd`test "$(sed -n '/^# windlass: begin$/,/^# windlass: end$/p' /etc/hosts | sha256sum | cut -c 1-64)" = ${digest}`,
  );
  const proxies = proxyEnvironmentFile(context.input.proxy ?? {}, cluster.noProxy);
  if (!named || proxies.reveal() === '') return named;
  return context.sees(cmd`test ! -e ${PROXIES} || { test ! -e ${`${PROXIES}.pending`} && cmp -s - ${PROXIES}; }`, proxies);
}

const PROXIES = '/etc/containerd/windlass-proxy.env';

async function tell(context: Context, job: string, cluster: ClusterInput): Promise<true> {
  await context.script(job, {
    text: UPDATE_PEERS,
    within: minutes(5),
    arguments: async (files) => {
      await files.put('hosts', hostLines(cluster));
      await files.put('proxies', proxyEnvironmentFile(context.input.proxy ?? {}, cluster.noProxy));
      return [files.path('hosts'), files.path('proxies')];
    },
  });
  return true;
}
