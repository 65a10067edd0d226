import { seconds, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared, type Noted } from '../action.js';
import type { KubeCluster, KubeNode } from '../kube-cluster.js';
import { configurationIn, repositoryIn, versionIn, type KubeadmConfiguration } from '../kubeadm-configuration.js';
import type { ClusterStepInput } from '../node-input.js';
import { nodePackages, type PackageSources, type NodePackages } from '../node-packages.js';

export interface ReadClusterVersionInput extends ClusterStepInput {
  sources: PackageSources;
}

/** What a node that comes has to have, and what a person should know of it. */
export type ReadClusterVersionOutput = NodePackages & Noted;

/** Asks the cluster which Kubernetes it runs, and says what a node that comes to it has to have. */
export const readClusterVersion = implementAction(
  declared<ReadClusterVersionInput, ReadClusterVersionOutput>('read-cluster-version'),
  {
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
  },
);

const isMaster = ({ labels }: KubeNode): boolean => labels['node-role.kubernetes.io/control-plane'] !== undefined;

/**
 * kubeadm's configuration, as the cluster keeps it: `kubeadm upgrade` changes the version there, and `kubeadm join` compares the node's version with
 * it.
 */
async function configurationOf(cluster: KubeCluster): Promise<KubeadmConfiguration> {
  const configuration = await cluster.configuration();
  if (configuration === undefined)
    throw new TransientError('cluster.no-configuration', 'the cluster does not show its ConfigMap kubeadm-config');
  return configurationIn(configuration);
}
