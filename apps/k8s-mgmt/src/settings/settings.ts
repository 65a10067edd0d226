import { minutes, seconds, type Duration, type JsonObject } from '@windlass/foundation';
import type { ImageSettings } from './images.js';
import type { NamedAddon } from './network-choice.js';
import { INTERNET } from './internet-defaults.js';

/** What the operator of this service decides. Read from the environment in config.ts. */
export interface K8sMgmtSettings extends ImageSettings {
  /** Of Kubernetes, for clusters that are made: `1.34.1`. Nodes that come later get what their cluster runs. */
  kubernetesVersion: string;
  /**
   * Where nodes get kubelet, kubeadm and kubectl: a flat Debian repository with a `Release.key` in it, such as
   * `https://pkgs.k8s.io/core:/stable:/v{minor}/deb/`: {minor} becomes that of the version. Undefined: only what the nodes' own apt sources offer.
   */
  kubernetesAptUrl: string | undefined;
  /** The fingerprint of that repository's key, 40 hexadecimal digits in capitals: a node trusts no other key. */
  kubernetesFingerprint: string;
  /** The package with containerd. */
  containerdPackage: string;
  /** The repository of the containerd package; undefined: the nodes' own apt sources. */
  containerdSource: AptSource | undefined;
  /** The network add-on of clusters whose request names none. */
  networkAddon: NamedAddon;
  /** Calico's objects, as its makers publish them; undefined: clusters can't have it by its name. */
  calicoManifest: readonly JsonObject[] | undefined;
  /** How far apart the clocks of nodes may be, from each other and from ours. */
  clockDifference: Duration;
  /** The longest that a packaged install script may take on one node. */
  scriptWithin: Duration;
  /** The longest that a cluster may take to list a node whose packaged install script has ended. */
  listedWithin: Duration;
  /** The longest that cloud-init of a fresh node is waited for. */
  firstBootWithin: Duration;
}

/** An apt repository that a node adds. In both URLs {id} and {codename} become the node's own. */
export interface AptSource {
  /** URL, suite and components. */
  line: string;
  keyUrl: string;
  /** As {@link K8sMgmtSettings.kubernetesFingerprint}. */
  fingerprint: string;
}

export const defaultSettings: K8sMgmtSettings = {
  kubernetesVersion: INTERNET.kubernetesVersion.value,
  kubernetesAptUrl: INTERNET.kubernetesAptUrl.value,
  kubernetesFingerprint: INTERNET.kubernetesFingerprint.value,
  containerdPackage: 'containerd',
  containerdSource: undefined,
  networkAddon: 'flannel',
  calicoManifest: undefined,
  clockDifference: seconds(10),
  // 2700 s, as the reference system has it (spec/mgmt-kubernetes.md section 3).
  scriptWithin: minutes(45),
  listedWithin: minutes(3),
  firstBootWithin: minutes(10),
};
