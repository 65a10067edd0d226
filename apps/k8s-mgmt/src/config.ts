import { DriverServiceConfig } from '@windlass/driver-kit';
import { required, Variable } from '@windlass/service-kit';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { seconds, type Duration, type JsonObject } from '@windlass/foundation';
import { asDuration } from '@windlass/service-kit';
import { KNOWN_MINORS, KNOWN_VERSION } from './settings/kubernetes-versions.js';
import { IMAGE, IMAGE_REPOSITORY } from './settings/image-names.js';
import { NO_VERIFICATION_IMAGE } from './settings/images.js';
import { INTERNET } from './settings/internet-defaults.js';
import { asCalicoManifest } from './network/calico.js';
import { NAMED_ADDONS, type NamedAddon } from './settings/network-choice.js';

const FINGERPRINT = /^[0-9A-F]{40}$/;

/** As gpg prints them, with blanks, or without. */
const asFingerprint = (text: string): string => text.replaceAll(/\s/g, '').toUpperCase();

const asUrl = /^https?:\/\/[^\s'"$`\\]+$/;

/** What the Kubernetes drivers can be told. */
export class K8sMgmtConfig extends DriverServiceConfig {
  @Variable({
    name: 'KUBERNETES_VERSION',
    meaning: 'the Kubernetes that new clusters get; nodes that come to a cluster later get what that runs',
    expected: `a version such as 1.34.1, of ${KNOWN_MINORS.join(', ')}`,
  })
  @Matches(KNOWN_VERSION)
  readonly kubernetesVersion: string = INTERNET.kubernetesVersion.value;

  @Variable({
    name: 'KUBERNETES_APT_URL',
    meaning:
      'the apt repository of Kubernetes packages, with a Release.key in it: {minor} becomes that of the version which the cluster runs; by default pkgs.k8s.io; "none": what the nodes’ own sources offer',
    expected: 'a URL such as https://pkgs.k8s.io/core:/stable:/v{minor}/deb/, or none',
    optional: true,
  })
  @IsOptional()
  @Matches(new RegExp(`^none$|${asUrl.source}`))
  readonly kubernetesAptUrl: string | undefined = required();

  @Variable({
    name: 'KUBERNETES_APT_FINGERPRINT',
    meaning: 'the fingerprint of that repository’s key: nodes trust no other; by default that of pkgs.k8s.io',
    expected: '40 hexadecimal digits',
    read: asFingerprint,
  })
  @Matches(FINGERPRINT)
  readonly kubernetesAptFingerprint: string = INTERNET.kubernetesFingerprint.value;

  @Variable({
    name: 'CONTAINERD_APT_SOURCE',
    meaning:
      'an apt repository to have containerd of, in place of the distribution’s: {id} and {codename} become those of the node, such as debian and bookworm',
    expected: 'a URL, a suite and components, such as: https://download.docker.com/linux/{id} {codename} stable',
    optional: true,
  })
  @IsOptional()
  @Matches(/^https?:\/\/[^\s'"$`\\]+ [\w.{}/-]+( [\w.{}/-]+)*$/)
  readonly containerdAptSource: string | undefined = required();

  @Variable({
    name: 'CONTAINERD_APT_KEY_URL',
    meaning: 'where that repository’s key is; by default gpg under its URL',
    expected: 'a URL',
    optional: true,
  })
  @IsOptional()
  @Matches(asUrl)
  readonly containerdAptKeyUrl: string | undefined = required();

  @Variable({
    name: 'CONTAINERD_APT_FINGERPRINT',
    meaning: 'the fingerprint of that key; by default that of download.docker.com',
    expected: '40 hexadecimal digits',
    read: asFingerprint,
  })
  @Matches(FINGERPRINT)
  readonly containerdAptFingerprint: string = INTERNET.dockerFingerprint.value;

  @Variable({
    name: 'CONTAINERD_PACKAGE',
    meaning: 'the package with containerd; by default containerd.io with CONTAINERD_APT_SOURCE, else containerd',
    expected: 'a package’s name',
    optional: true,
  })
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.+-]+$/)
  readonly containerdPackage: string | undefined = required();

  @Variable({
    name: 'KUBERNETES_IMAGE_REPOSITORY',
    meaning:
      'registry and path that new clusters have all their images of: kubeadm’s, the sandbox’s, flannel’s, and that of the pods that try a cluster; by default each where its makers publish it',
    expected: 'a registry and a path, such as registry.example:5000/kubernetes',
    optional: true,
  })
  @IsOptional()
  @Matches(new RegExp(IMAGE_REPOSITORY))
  readonly kubernetesImageRepository: string | undefined = required();

  @Variable({
    name: 'FLANNEL_IMAGE',
    meaning: `flannel’s image; by default ${INTERNET.flannelImage.value}, or its name under KUBERNETES_IMAGE_REPOSITORY`,
    expected: 'an image with its registry',
    optional: true,
  })
  @IsOptional()
  @Matches(new RegExp(IMAGE))
  readonly flannelImage: string | undefined = required();

  @Variable({
    name: 'FLANNEL_PLUGIN_IMAGE',
    meaning: `that of flannel’s CNI plugin; by default ${INTERNET.flannelPluginImage.value}, or its name under KUBERNETES_IMAGE_REPOSITORY`,
    expected: 'an image with its registry',
    optional: true,
  })
  @IsOptional()
  @Matches(new RegExp(IMAGE))
  readonly flannelPluginImage: string | undefined = required();

  @Variable({
    name: 'NETWORK_ADDON',
    meaning: 'the network add-on of clusters whose request names none; which one a cluster has stays with the cluster',
    expected: `one of ${NAMED_ADDONS.join(', ')}`,
  })
  @IsIn(NAMED_ADDONS)
  readonly networkAddon: NamedAddon = 'flannel';

  @Variable({
    name: 'CALICO_MANIFEST',
    meaning: `Calico’s manifest, for clusters that ask for calico: a copy of ${INTERNET.calicoManifest.value}, the same for every k8s-mgmt, read when it starts`,
    expected: 'the absolute path of a readable YAML file of at most 2 MiB with the DaemonSet calico-node',
    read: asCalicoManifest,
    optional: true,
  })
  @IsOptional()
  readonly calicoManifest: readonly JsonObject[] | undefined = required();

  @Variable({
    name: 'VERIFICATION_IMAGE',
    meaning: `what the pods run that try a cluster, where no request says it; by default ${INTERNET.verificationImage.value}, or its name under KUBERNETES_IMAGE_REPOSITORY; "${NO_VERIFICATION_IMAGE}": no pod is run`,
    expected: 'an image with sh, httpd and wget, or none',
    optional: true,
  })
  @IsOptional()
  @Matches(new RegExp(IMAGE))
  readonly verificationImage: string | undefined = required();

  @Variable({
    name: 'NODE_CLOCK_DIFFERENCE',
    meaning: 'how far apart the clocks of nodes may be, from each other and from this service’s',
    expected: 'a length of time such as 10s',
    read: asDuration,
  })
  readonly nodeClockDifference: Duration = seconds(10);
}
