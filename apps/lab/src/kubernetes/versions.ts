/** The patch releases that the lab has, newest first. Where they are built, it is one source with two stamps: see docs/lab-kubernetes.md. */
export const REAL_KUBERNETES_VERSIONS = ['1.34.5', '1.34.4'] as const;
export type KubernetesVersion = (typeof REAL_KUBERNETES_VERSIONS)[number];

/** The source that is built, whatever stamp it gets. */
export const KUBERNETES_SOURCE = '1.34.4';

/** What goes with them: etcd and CoreDNS as kubeadm 1.34 names them, the others as pkgs.k8s.io has them beside it. */
export const PART_VERSIONS = {
  etcd: '3.6.5',
  coredns: '1.12.1',
  cni: '1.7.1',
  criTools: '1.34.0',
  flannel: '0.28.10',
  /** containernetworking/plugins, the last that had flannel's plugin. */
  flannelCni: '0.9.1',
} as const;

/** The programs of Kubernetes, one set a version. */
export const KUBERNETES_PROGRAMS = [
  'kubeadm',
  'kubectl',
  'kubelet',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
] as const;

export const CNI_PLUGINS = [
  'bandwidth',
  'bridge',
  'dhcp',
  'dummy',
  'firewall',
  'host-device',
  'host-local',
  'ipvlan',
  'loopback',
  'macvlan',
  'portmap',
  'ptp',
  'sbr',
  'static',
  'tap',
  'tuning',
  'vlan',
  'vrf',
] as const;
