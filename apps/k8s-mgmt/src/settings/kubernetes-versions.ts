import { PAUSE_TAGS } from './internet-defaults.js';

/** What goes with a minor version of Kubernetes. */
export interface KubernetesMinor {
  /** Tag of the sandbox ("pause") image that its kubeadm names. Another one works too: kubeadm warns of it. */
  pauseTag: string;
  /** The oldest major version of containerd that its kubelet works with. */
  leastContainerd: 1 | 2;
  /** Set where this minor version is the last that works with major version 1 of containerd. */
  lastWithContainerd1?: true;
}

/** By minor version. Our configuration files for kubeadm (`v1beta4`) are read from 1.31 on. */
const MINORS: Readonly<Record<string, KubernetesMinor>> = {
  '1.31': { pauseTag: PAUSE_TAGS['1.31'].value, leastContainerd: 1 },
  '1.32': { pauseTag: PAUSE_TAGS['1.32'].value, leastContainerd: 1 },
  '1.33': { pauseTag: PAUSE_TAGS['1.33'].value, leastContainerd: 1 },
  '1.34': { pauseTag: PAUSE_TAGS['1.34'].value, leastContainerd: 1 },
  '1.35': { pauseTag: PAUSE_TAGS['1.35'].value, leastContainerd: 1, lastWithContainerd1: true },
  '1.36': { pauseTag: PAUSE_TAGS['1.36'].value, leastContainerd: 2 },
};

/** The minor versions that are known: `1.31`, ... */
export const KNOWN_MINORS: readonly string[] = Object.keys(MINORS);

/** A version of a known minor, whole. */
export const KNOWN_VERSION = new RegExp(`^(${KNOWN_MINORS.map((minor) => minor.replace('.', '\\.')).join('|')})\\.\\d+$`);

/** `1.34` of `1.34.1`. */
export const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');

/** What goes with a version. @throws RangeError for an unknown minor, which the service's configuration refuses */
export function kubernetesMinor(version: string): KubernetesMinor {
  const minor = MINORS[minorOf(version)];
  if (minor === undefined) throw new RangeError(`Kubernetes ${version} is not known; known are ${KNOWN_MINORS.join(', ')}`);
  return minor;
}

/** In an apt repository's URL: the version's minor, such as `1.34`. */
export const MINOR_IN_URL = '{minor}';
