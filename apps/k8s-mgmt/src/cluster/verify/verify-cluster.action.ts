import { minutes, seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { notRolledOut } from '../../network/rollout.js';
import type { ClusterContext } from '../../node/node-context.js';
import { NO_VERIFICATION_IMAGE } from '../../settings/images.js';
import type { NetworkChoice } from '../../settings/network-choice.js';
import { declared } from '../action.js';
import type { KubeNode } from '../kube-cluster.js';
import type { ClusterInput, NamedNode, ClusterStepInput } from '../node-input.js';
import { waitsForNetwork } from '../waits-for-network.js';
import { addonPods } from './addon-pods.js';
import { probeCluster } from './probe-cluster.js';
import { whyNotReady } from './why-not-ready.js';

export interface VerifyClusterInput extends ClusterStepInput {
  /** The image of the test pods; `none`: no pod is run, and the operation says so. Plans of earlier releases have no image: they ran no pods. */
  image?: string;
  /** Addresses of the nodes that must be Ready: all nodes unless given. Other nodes that are not Ready are noted. */
  about?: string[];
  /** The cluster's network add-on; flannel, as in plans of earlier releases, unless given. */
  network?: NetworkChoice['addon'];
  /**
   * The version of Kubernetes that those nodes must run, such as `1.34.1`. Absent where a packaged script chose the version, and in plans of earlier
   * releases: any version is then right.
   */
  version?: string;
}

export interface VerifyClusterOutput {
  nodes: string[];
  /** What a person should know of it: the operation's warnings, by the trait `contributes`. */
  notes?: string[];
}

/** How a kubelet that runs no container calls its runtime. No container runtime is called so. */
const NO_RUNTIME = 'none://';

/** Waits until every node is Ready. Then, where nodes run containers, a pod on each node resolves a name and reaches the other pods. */
export const verifyCluster = implementAction(declared<VerifyClusterInput, VerifyClusterOutput>('verify-cluster'), {
  apply: async (context: ClusterContext<VerifyClusterInput>): Promise<VerifyClusterOutput> => {
    const { input } = context;
    const nodes = await readyNodes(context);
    assertVersions(input, nodes);
    const names = nodes.map(({ name }) => name);
    const withoutNetwork = input.network === 'none' ? nodes.filter(waitsForNetwork) : [];
    const others = notReady(input.cluster, nodes).filter((name) => withoutNetwork.every((node) => node.name !== name));
    const notes = others.length === 0 ? [] : [`not Ready, and no part of this operation: ${others.join(', ')}; heal them`];
    if (withoutNetwork.length > 0 && !nodes.some(({ ready }) => ready))
      return { nodes: names, notes: [...notes, noNetwork(withoutNetwork)] };
    const leftOut = whyNoPods(input.image, nodes);
    if (leftOut !== undefined) return { nodes: names, notes: [...notes, `no pod has tried the cluster: ${leftOut}`] };
    if (input.image !== undefined) {
      const ready = nodes.filter((node) => node.ready);
      notes.push(...(await probeCluster(context, input.image, ready)));
    }
    return { nodes: names, ...(notes.length === 0 ? {} : { notes }) };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(5) },
});

/** @throws TerminalError `cluster.other-version` where a node that the operation is about runs another Kubernetes than was installed */
function assertVersions({ cluster, about, version }: VerifyClusterInput, listed: readonly KubeNode[]): void {
  if (version === undefined) return;
  const wanted = cluster.nodes.filter(({ address }) => about?.includes(address) ?? true);
  const others = wanted.flatMap((node) => listed.filter((each) => is(node, each) && each.version !== `v${version}`));
  if (others.length === 0) return;
  const names = others
    .map(({ name, version: runs }) => `${name} runs ${runs === '' ? 'one that it does not tell' : runs}`)
    .join(', ');
  const todo = 'look for another kubelet on them (systemctl cat kubelet), then retry';
  throw new TerminalError('cluster.other-version', `Kubernetes v${version} was expected: ${names}; ${todo}`);
}

const noNetwork = (nodes: readonly KubeNode[]): string =>
  `${nodes.map(({ name }) => name).join(', ')}: not Ready for want of a network: network_addon is none. Install a network add-on (kubectl apply); until then no pod runs but on the nodes' own network, and none has tried the cluster`;

/** Why no pods are run; undefined where they are. Every node has to say that it runs no containers: a cluster with one node that does is tested. */
function whyNoPods(image: string | undefined, nodes: readonly KubeNode[]): string | undefined {
  if (image === NO_VERIFICATION_IMAGE)
    return `verification_image is "${NO_VERIFICATION_IMAGE}", by the request or the service's VERIFICATION_IMAGE`;
  if (image === undefined || !nodes.every(({ runtime }) => runtime.startsWith(NO_RUNTIME))) return undefined;
  return `its nodes say that they run no containers (${nodes[0]?.runtime ?? NO_RUNTIME})`;
}

/**
 * The cluster's nodes, once the wanted nodes are Ready and the network add-on runs on them. The wanted nodes are those of `about`, or all.
 * Where users bring the network themselves, it is enough that all wanted nodes wait for a network and for nothing else.
 */
function readyNodes({ cluster, input, run }: ClusterContext<VerifyClusterInput>): Promise<KubeNode[]> {
  const { about, network = 'flannel' } = input;
  const isWanted = ({ address }: NamedNode): boolean => about?.includes(address) ?? true;
  return waitUntil(
    async (seen) => {
      const say = (text: string): void => {
        seen(text);
        run.progress(text);
      };
      const nodes = await cluster.nodes((why) => say(`the API does not answer: ${why}`));
      if (nodes === undefined) return undefined;
      const wanted = input.cluster.nodes.filter(isWanted);
      const missing = notReady({ nodes: wanted }, nodes);
      const addon = await addonPods(cluster, network);
      if (addon === undefined) {
        say('the API does not answer');
        return undefined;
      }
      if (missing.length === 0) {
        if (network === 'flannel' || network === 'none') return nodes;
        const names = nodes.filter((each) => wanted.some((node) => is(node, each))).map(({ name }) => name);
        const left = await notRolledOut(cluster, { workloads: addon.workloads, nodes: names, whole: about === undefined });
        if (left.length === 0) return nodes;
        say(`the network add-on does not run everywhere: ${left.join('; ')}`);
        return undefined;
      }
      const listed = nodes.filter((each) => !each.ready && wanted.some((node) => is(node, each)));
      // One Ready node shows that there is a network, which the other nodes will get, too.
      const isBrought = network !== 'none' || nodes.some(({ ready }) => ready);
      if (!isBrought && listed.length === wanted.length && listed.every(waitsForNetwork)) return nodes;
      const unlisted = notListed(wanted, nodes).map((name) => `${name} (not part of the cluster)`);
      say(`not ready: ${[...(await whyNotReady(cluster, listed, addon)), ...unlisted].join(', ')}`);
      return undefined;
    },
    {
      for: network === 'none' ? 'the nodes to be Ready, or to want a network alone' : 'the nodes to be Ready',
      within: minutes(10),
      every: seconds(0.5),
      growth: 1.5,
      atMost: seconds(5),
      signal: run.signal,
    },
  );
}

/** A packaged script may give a node a name of its own. It can't change the node's address. */
const is = ({ name, address }: NamedNode, listed: KubeNode): boolean =>
  listed.name === name || listed.addresses.includes(address);

const notListed = (wanted: readonly NamedNode[], listed: readonly KubeNode[]): string[] =>
  wanted.filter((node) => !listed.some((each) => is(node, each))).map(({ name }) => name);

function notReady({ nodes: wanted }: Pick<ClusterInput, 'nodes'>, listed: readonly KubeNode[]): string[] {
  return wanted.filter((node) => !listed.some((each) => each.ready && is(node, each))).map(({ name }) => name);
}
