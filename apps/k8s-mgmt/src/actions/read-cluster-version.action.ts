import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { parse } from 'yaml';
import { INTERNET } from '../internet-defaults.js';
import type { KubeCluster, KubeNode } from '../cluster/kube-cluster.js';
import { nodePackages } from '../cluster/node-packages.js';
import type { ClusterContext } from '../node/node-context.js';
import { readClusterVersion, type ReadClusterVersionInput } from './contracts.js';

/** Asks the cluster which Kubernetes it runs, and says what a node that comes to it has to have. */
export const readClusterVersionWork = implementAction(readClusterVersion, {
  apply: async ({ cluster, input, run }: ClusterContext<ReadClusterVersionInput>) => {
    const { kubernetesVersion, imageRepository } = await configurationOf(cluster);
    const version = versionIn(kubernetesVersion);
    const packages = nodePackages(version, repositoryIn(imageRepository), input.sources);
    run.progress(`the cluster runs Kubernetes v${version}`);
    const others = (await cluster.listedNodes()).filter((node) => isMaster(node) && node.version !== `v${version}`);
    if (others.length === 0) return packages;
    const lag = others.map(({ name, version: runs }) => `${name} runs ${runs === '' ? 'one that it does not tell' : runs}`);
    const note = `${lag.join(', ')}, and the cluster's configuration says v${version}, which nodes that come get: finish the upgrade of the masters`;
    return { ...packages, notes: [note] };
  },
  retry: { attempts: 8, backoff: seconds(5), growth: 1.5 },
});

const isMaster = ({ labels }: KubeNode): boolean => labels['node-role.kubernetes.io/control-plane'] !== undefined;

/** As kubeadm keeps it: `kubeadm upgrade` changes it, and `kubeadm join` compares it with the node's own. */
async function configurationOf(cluster: KubeCluster): Promise<{ kubernetesVersion?: unknown; imageRepository?: unknown }> {
  const configuration = await cluster.configuration();
  if (configuration === undefined)
    throw new TransientError('cluster.no-configuration', 'the cluster does not show its ConfigMap kubeadm-config');
  return (parse(configuration) as Record<string, unknown> | null) ?? {};
}

function versionIn(said: unknown): string {
  const version = typeof said === 'string' ? /^v(1\.\d{1,4}\.\d{1,4})$/.exec(said)?.[1] : undefined;
  if (version !== undefined) return version;
  throw new TerminalError(
    'cluster.unknown-version',
    `kubernetesVersion in ${WHERE} is ${shown(said)}; one such as v1.34.1 was expected: ${REMEDY}`,
  );
}

/** Its words go into containerd's configuration. */
function repositoryIn(said: unknown = INTERNET.imageRepository.value): string {
  if (typeof said === 'string' && said.length <= 512 && /^[A-Za-z0-9][A-Za-z0-9.:/_-]*$/.test(said)) return said;
  throw new TerminalError(
    'cluster.unknown-images',
    `imageRepository in ${WHERE} is ${shown(said)}; one such as ${INTERNET.imageRepository.value} was expected: ${REMEDY}`,
  );
}

const WHERE = "the cluster's ConfigMap kubeadm-config (namespace kube-system)";
const REMEDY = 'have kubeadm write it again (kubeadm init phase upload-config kubeadm), then retry';

const shown = (said: unknown): string => JSON.stringify(said ?? null).slice(0, 60);
