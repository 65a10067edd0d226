/** A default that is true only while somebody on the internet keeps it so. */
export interface InternetDefault {
  readonly value: string;
  /** The day it was last seen to be there, such as `2026-11-20`; `not seen here`: nobody has looked where this was written. */
  readonly lastSeen: string;
}

const NOT_SEEN = 'not seen here';

/**
 * Every default that only the internet can verify, of the Kubernetes drivers: versions, images, repositories, fingerprints. `./windlass check-defaults`
 * looks for them where there is a network, and says which dates to write here. The operator can replace each by a setting (docs/configuration.md).
 */
export const INTERNET = {
  kubernetesVersion: { value: '1.34.1', lastSeen: NOT_SEEN },
  /** kubeadm's own default, also of the sandbox image. */
  imageRepository: { value: 'registry.k8s.io', lastSeen: NOT_SEEN },
  /** The flat repository of each minor. */
  kubernetesAptUrl: { value: 'https://pkgs.k8s.io/core:/stable:/v{minor}/deb/', lastSeen: NOT_SEEN },
  /** isv:kubernetes OBS Project, which signs pkgs.k8s.io. */
  kubernetesFingerprint: { value: 'DE15B14486CD377B9E876E1A234654DA9A296436', lastSeen: NOT_SEEN },
  /** Docker Release (CE deb), which signs download.docker.com. */
  dockerFingerprint: { value: '9DC858229FC7DD38854AE2D88D81803C0EBFCD88', lastSeen: NOT_SEEN },
  flannelImage: { value: 'ghcr.io/flannel-io/flannel:v0.28.10', lastSeen: NOT_SEEN },
  flannelPluginImage: { value: 'ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3', lastSeen: NOT_SEEN },
  /** CALICO_MANIFEST is to be a copy of this file: our machines do not download it. */
  calicoManifest: {
    value: 'https://raw.githubusercontent.com/projectcalico/calico/v3.31.3/manifests/calico.yaml',
    lastSeen: NOT_SEEN,
  },
  /** Of the pods that try a cluster. */
  verificationImage: { value: 'docker.io/library/busybox:1.36', lastSeen: NOT_SEEN },
} as const satisfies Readonly<Record<string, InternetDefault>>;

/** Tags of the sandbox ("pause") image that each minor's kubeadm names. */
export const PAUSE_TAGS = {
  '1.31': { value: '3.10', lastSeen: NOT_SEEN },
  '1.32': { value: '3.10', lastSeen: NOT_SEEN },
  '1.33': { value: '3.10', lastSeen: NOT_SEEN },
  '1.34': { value: '3.10.1', lastSeen: NOT_SEEN },
  '1.35': { value: '3.10.1', lastSeen: NOT_SEEN },
  '1.36': { value: '3.10.2', lastSeen: NOT_SEEN },
} as const satisfies Readonly<Record<string, InternetDefault>>;
