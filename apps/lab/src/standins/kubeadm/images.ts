import type { ClusterSettings } from './settings.js';

/** What goes with each minor version: etcd, CoreDNS and pause images. */
const WITH_MINOR: Record<string, { etcd: string; coredns: string; pause: string }> = {
  '1.33': { etcd: '3.5.21-0', coredns: 'v1.12.0', pause: '3.10' },
  '1.34': { etcd: '3.6.4-0', coredns: 'v1.12.1', pause: '3.10.1' },
};

const minorOf = (version: string): string => version.replace(/^v/, '').split('.').slice(0, 2).join('.');

const LATEST = { etcd: '3.6.4-0', coredns: 'v1.12.1', pause: '3.10.1' };

const partsOf = (version: string): { etcd: string; coredns: string; pause: string } => WITH_MINOR[minorOf(version)] ?? LATEST;

type Component = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kube-proxy';

export const componentImage = ({ imageRepository, kubernetesVersion }: ClusterSettings, component: Component): string =>
  `${imageRepository}/${component}:${kubernetesVersion}`;

export const etcdImage = ({ imageRepository, kubernetesVersion }: ClusterSettings): string =>
  `${imageRepository}/etcd:${partsOf(kubernetesVersion).etcd}`;

export const pauseImage = ({ imageRepository, kubernetesVersion }: ClusterSettings): string =>
  `${imageRepository}/pause:${partsOf(kubernetesVersion).pause}`;

/** CoreDNS lies one level deeper in the default registry only. */
export function corednsImage({ imageRepository, kubernetesVersion }: ClusterSettings): string {
  const name = imageRepository === 'registry.k8s.io' ? 'coredns/coredns' : 'coredns';
  return `${imageRepository}/${name}:${partsOf(kubernetesVersion).coredns}`;
}

/** All images of a control plane, in the order that `kubeadm config images list` has. */
export const controlPlaneImages = (cluster: ClusterSettings): string[] => [
  componentImage(cluster, 'kube-apiserver'),
  componentImage(cluster, 'kube-controller-manager'),
  componentImage(cluster, 'kube-scheduler'),
  componentImage(cluster, 'kube-proxy'),
  corednsImage(cluster),
  pauseImage(cluster),
  etcdImage(cluster),
];
