import { TerminalError } from '@windlass/foundation';
import { parse } from 'yaml';
import { INTERNET } from '../settings/internet-defaults.js';

/** What is read of kubeadm's ClusterConfiguration, as the cluster keeps it. */
export interface KubeadmConfiguration {
  kubernetesVersion?: unknown;
  imageRepository?: unknown;
}

export const configurationIn = (yaml: string): KubeadmConfiguration => (parse(yaml) as KubeadmConfiguration | null) ?? {};

/** `1.34.1` of `v1.34.1`. @throws TerminalError `cluster.unknown-version` */
export function versionIn(said: unknown): string {
  const version = typeof said === 'string' ? /^v(1\.\d{1,4}\.\d{1,4})$/.exec(said)?.[1] : undefined;
  if (version !== undefined) return version;
  throw new TerminalError(
    'cluster.unknown-version',
    `kubernetesVersion in ${WHERE} is ${shown(said)}; one such as v1.34.1 was expected: ${REMEDY}`,
  );
}

/** The cluster's image repository, whose words go into containerd's configuration. @throws TerminalError `cluster.unknown-images` */
export function repositoryIn(said: unknown = INTERNET.imageRepository.value): string {
  if (typeof said === 'string' && said.length <= 512 && /^[A-Za-z0-9][A-Za-z0-9.:/_-]*$/.test(said)) return said;
  throw new TerminalError(
    'cluster.unknown-images',
    `imageRepository in ${WHERE} is ${shown(said)}; one such as ${INTERNET.imageRepository.value} was expected: ${REMEDY}`,
  );
}

const WHERE = "the cluster's ConfigMap kubeadm-config (namespace kube-system)";
const REMEDY = 'have kubeadm write it again (kubeadm init phase upload-config kubeadm), then retry';

const shown = (said: unknown): string => JSON.stringify(said ?? null).slice(0, 60);
