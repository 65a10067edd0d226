import type { JsonObject } from '@windlass/foundation';
import type { Taint } from '../kube/kinds.js';
import type { KeyAlgorithm } from '../pki/certificates.js';

export const KUBERNETES = '/etc/kubernetes';
export const MANIFESTS = `${KUBERNETES}/manifests`;
export const KUBELET_FOLDER = '/var/lib/kubelet';
export const ETCD_DATA = '/var/lib/etcd';

/** A flag for a component: they may repeat. */
export interface Argument {
  name: string;
  value: string;
}

/** ClusterConfiguration with its defaults. */
export interface ClusterSettings {
  kubernetesVersion: string;
  controlPlaneEndpoint: string;
  serviceSubnet: string;
  podSubnet: string;
  dnsDomain: string;
  certificatesDir: string;
  imageRepository: string;
  clusterName: string;
  algorithm: KeyAlgorithm;
  certificateDays: number;
  caDays: number;
  apiServer: { extraArgs: Argument[]; certSans: string[] };
  controllerManager: { extraArgs: Argument[] };
  scheduler: { extraArgs: Argument[] };
  etcd: { dataDir: string; extraArgs: Argument[]; serverSans: string[]; peerSans: string[] };
  dnsDisabled: boolean;
  proxyDisabled: boolean;
  featureGates: Record<string, boolean>;
}

/** NodeRegistrationOptions. */
export interface NodeSettings {
  name: string;
  criSocket: string;
  /** Undefined: the control plane's own taint, or none on a worker. */
  taints: Taint[] | undefined;
  kubeletExtraArgs: Argument[];
  ignorePreflightErrors: string[];
}

export interface BootstrapTokenSettings {
  token: string;
  description: string;
  /** Milliseconds; 0 for ever. */
  ttl: number;
  usages: string[];
  groups: string[];
}

export interface Endpoint {
  advertiseAddress: string;
  bindPort: number;
}

/** Everything that `kubeadm init` works with. */
export interface InitSettings {
  /** What is asked for that the stand-in has not. */
  lacking: string | undefined;
  cluster: ClusterSettings;
  node: NodeSettings;
  local: Endpoint;
  tokens: BootstrapTokenSettings[];
  certificateKey: string;
  uploadCerts: boolean;
  skipPhases: string[];
  skipTokenPrint: boolean;
  skipCertificateKeyPrint: boolean;
  /** What the user gave as KubeletConfiguration and KubeProxyConfiguration. */
  kubelet: JsonObject;
  kubeProxy: JsonObject;
  healthWithin: number;
}

/** Everything that `kubeadm join` works with. */
export interface JoinSettings {
  lacking: string | undefined;
  node: NodeSettings;
  discovery:
    { kind: 'token'; endpoint: string; token: string; caHashes: string[]; unsafe: boolean } | { kind: 'file'; path: string };
  tlsBootstrapToken: string;
  controlPlane: { local: Endpoint; certificateKey: string } | undefined;
  skipPhases: string[];
  discoveryWithin: number;
  healthWithin: number;
}

export const DEFAULT_GROUP = 'system:bootstrappers:kubeadm:default-node-token';

/** `host:port` that clients use, and that certificates must have. */
export function endpointOf(cluster: ClusterSettings, local: Endpoint): string {
  if (cluster.controlPlaneEndpoint === '') return `${local.advertiseAddress}:${local.bindPort}`;
  return cluster.controlPlaneEndpoint.includes(':')
    ? cluster.controlPlaneEndpoint
    : `${cluster.controlPlaneEndpoint}:${local.bindPort}`;
}

export const localEndpoint = ({ advertiseAddress, bindPort }: Endpoint): string => `${advertiseAddress}:${bindPort}`;
