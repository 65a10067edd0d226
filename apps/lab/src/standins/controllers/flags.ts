import { LOG_FLAGS, type FlagSpecs } from '../cli/flags.js';

const ignored = (kind: 'string' | 'bool' | 'int' | 'strings' | 'duration' = 'string') =>
  ({ kind, usage: 'accepted, without effect in the stand-in' }) as const;

/** The flags of kubeadm's kube-controller-manager manifest, and some that users add with extraArgs. */
export const CONTROLLER_MANAGER_FLAGS: FlagSpecs = {
  ...LOG_FLAGS,
  help: { kind: 'bool', short: 'h', usage: 'help for kube-controller-manager' },
  'windlass-lab-version': { kind: 'string', default: 'v1.34.1', usage: 'the version that the image names' },
  kubeconfig: { kind: 'string', usage: 'how to reach the API server' },
  'bind-address': { kind: 'string', default: '127.0.0.1', usage: 'the address of the health port' },
  'secure-port': { kind: 'int', default: '10257', usage: 'the health port' },
  'root-ca-file': { kind: 'string', usage: 'the CA that service account tokens come with' },
  'cluster-signing-cert-file': { kind: 'string', usage: 'the CA that signs certificates' },
  'cluster-signing-key-file': { kind: 'string', usage: 'its key' },
  'service-account-private-key-file': { kind: 'string', usage: 'the key that signs tokens of service accounts' },
  'allocate-node-cidrs': { kind: 'bool', default: 'false', usage: 'give each node a part of the pod network' },
  'cluster-cidr': { kind: 'string', usage: 'the pod network' },
  'node-cidr-mask-size': { kind: 'int', default: '24', usage: 'the size of a part' },
  'node-monitor-grace-period': {
    kind: 'duration',
    // Long enough for a busy machine, which keeps a kubelet silent for some seconds; the real one of 1.34 waits 50 s, and tests wait for dead nodes.
    default: '40s',
    usage: 'how long a node may be silent (the real default is 50s, before 1.32 40s)',
  },
  'leader-elect': { kind: 'bool', default: 'true', usage: 'only one of several works' },
  'authentication-kubeconfig': ignored(),
  'authorization-kubeconfig': ignored(),
  'client-ca-file': ignored(),
  'cluster-name': ignored(),
  controllers: ignored('strings'),
  'feature-gates': ignored(),
  'leader-elect-lease-duration': ignored('duration'),
  'leader-elect-renew-deadline': ignored('duration'),
  'leader-elect-retry-period': ignored('duration'),
  'node-monitor-period': ignored('duration'),
  profiling: ignored('bool'),
  'requestheader-client-ca-file': ignored(),
  'service-cluster-ip-range': ignored(),
  'terminated-pod-gc-threshold': ignored('int'),
  'use-service-account-credentials': ignored('bool'),
};
