import { LOG_FLAGS, type FlagSpecs } from '../cli/flags.js';

const ignored = (kind: 'string' | 'bool' | 'int' | 'strings' | 'duration' = 'string') =>
  ({ kind, usage: 'accepted, without effect in the stand-in' }) as const;

/** The kubelet's flags, as far as kubeadm, its drop-in and the documentation's examples use them. Others are unknown. */
export const KUBELET_FLAGS: FlagSpecs = {
  ...LOG_FLAGS,
  help: { kind: 'bool', short: 'h', usage: 'help for kubelet' },
  version: { kind: 'bool', usage: 'print version information and quit' },
  config: { kind: 'string', usage: 'the KubeletConfiguration file' },
  'bootstrap-kubeconfig': { kind: 'string', usage: 'how to ask for a client certificate' },
  kubeconfig: { kind: 'string', usage: 'how to reach the API server' },
  'hostname-override': { kind: 'string', usage: 'the node name, instead of the hostname' },
  'node-ip': { kind: 'string', usage: 'the address to report' },
  'node-labels': { kind: 'strings', usage: 'labels for a new node' },
  'register-with-taints': { kind: 'strings', usage: 'taints for a new node' },
  'container-runtime-endpoint': { kind: 'string', usage: 'the CRI socket, instead of the one in the configuration' },
  'cgroup-driver': { kind: 'string', usage: 'cgroupfs or systemd, instead of what the configuration says' },
  'fail-swap-on': { kind: 'bool', usage: 'refuse to start with swap, instead of what the configuration says' },
  'cloud-provider': ignored(),
  'cluster-dns': ignored('strings'),
  'cluster-domain': ignored(),
  'image-credential-provider-bin-dir': ignored(),
  'image-credential-provider-config': ignored(),
  'kube-reserved': ignored(),
  'max-pods': ignored('int'),
  'pod-infra-container-image': ignored(),
  'pod-manifest-path': ignored(),
  'read-only-port': ignored('int'),
  'resolv-conf': ignored(),
  'root-dir': ignored(),
  'rotate-certificates': ignored('bool'),
  'runtime-cgroups': ignored(),
  'system-reserved': ignored(),
};
