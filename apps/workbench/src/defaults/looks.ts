import { INTERNET, PAUSE_TAGS } from '@windlass/k8s-mgmt';
import { lookForImage, manifestUrl } from './image-look.js';
import type { Ask } from './internet-client.js';
import { lookForKey, lookForManifest, lookForPackage, lookForRepository } from './repository-looks.js';
import type { Seen } from './seen.js';

/** One address that shows whether a default is still there. */
export interface Look {
  /** The default as the file calls it: `flannelImage`, `PAUSE_TAGS['1.34']`. */
  readonly of: string;
  readonly address: string;
  readonly look: (ask: Ask) => Promise<Seen>;
}

type Unnamed = Omit<Look, 'of'>;

const image = (name: string): Unnamed => ({ address: manifestUrl(name), look: (ask) => lookForImage(ask, name) });
const key = (address: string, fingerprint: string): Unnamed => ({
  address,
  look: (ask) => lookForKey(ask, address, fingerprint),
});

const manifest = (address: string, daemonSet: string): Unnamed => ({
  address,
  look: (ask) => lookForManifest(ask, address, daemonSet),
});

const VERSION = INTERNET.kubernetesVersion.value;
const REPOSITORY = INTERNET.imageRepository.value;
const aptUrl = (minor: string): string => INTERNET.kubernetesAptUrl.value.replaceAll('{minor}', minor);
const DEFAULT_MINOR = VERSION.split('.').slice(0, 2).join('.');

const repository = (minor: string): Unnamed => {
  const address = `${aptUrl(minor)}InRelease`;
  return { address, look: (ask) => lookForRepository(ask, address) };
};

const packages = (): Unnamed => {
  const address = `${aptUrl(DEFAULT_MINOR)}Packages`;
  return { address, look: (ask) => lookForPackage(ask, address, 'kubeadm', VERSION) };
};

/** By which addresses each default is looked for; a new default needs its own. */
const LOOKS: Readonly<Record<keyof typeof INTERNET, readonly Unnamed[]>> = {
  kubernetesVersion: [image(`${REPOSITORY}/kube-apiserver:v${VERSION}`), packages()],
  imageRepository: [image(`${REPOSITORY}/kube-proxy:v${VERSION}`)],
  kubernetesAptUrl: Object.keys(PAUSE_TAGS).map(repository),
  kubernetesFingerprint: [key(`${aptUrl(DEFAULT_MINOR)}Release.key`, INTERNET.kubernetesFingerprint.value)],
  // Of the distributions that nodes may have.
  dockerFingerprint: ['debian', 'ubuntu'].map((id) =>
    key(`https://download.docker.com/linux/${id}/gpg`, INTERNET.dockerFingerprint.value),
  ),
  flannelImage: [image(INTERNET.flannelImage.value)],
  flannelPluginImage: [image(INTERNET.flannelPluginImage.value)],
  calicoManifest: [manifest(INTERNET.calicoManifest.value, 'calico-node')],
  verificationImage: [image(INTERNET.verificationImage.value)],
};

/** Every look at the internet that the defaults of the Kubernetes drivers need. */
export const defaultLooks = (): Look[] => [
  ...Object.entries(LOOKS).flatMap(([of, looks]) => looks.map((look) => ({ of, ...look }))),
  ...Object.entries(PAUSE_TAGS).map(([minor, { value }]) => ({
    of: `PAUSE_TAGS['${minor}']`,
    ...image(`${REPOSITORY}/pause:${value}`),
  })),
];
