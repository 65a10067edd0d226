import { minutes, type Duration } from '@windlass/foundation';

/** What the operator of this service decides. Read from the environment in config.ts. */
export interface K8sMgmtSettings {
  /** Of Kubernetes: `1.34.1`. It is part of each plan, so an operation ends with the version it began with. */
  kubernetesVersion: string;
  /**
   * Where nodes get kubelet, kubeadm and kubectl: a flat Debian repository with a `Release.key` in it, such as
   * `https://pkgs.k8s.io/core:/stable:/v1.34/deb/`. Undefined: only what the nodes' own apt sources offer.
   */
  kubernetesAptUrl: string | undefined;
  /** The longest that a packaged install script may take on one node. */
  scriptWithin: Duration;
}

export const KUBERNETES_VERSION = '1.34.1';

export const defaultSettings: K8sMgmtSettings = {
  kubernetesVersion: KUBERNETES_VERSION,
  kubernetesAptUrl: 'https://pkgs.k8s.io/core:/stable:/v1.34/deb/',
  // 2700 s, as the reference system has it (spec/mgmt-kubernetes.md section 3).
  scriptWithin: minutes(45),
};
