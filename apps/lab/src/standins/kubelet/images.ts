import { readIfThere } from '../host/files.js';

/** Patterns of images that count as pulled without a registry, one a line; `#` comments. Instead of the built-in list. */
export const IMAGES_FILE = '/etc/windlass-lab/images';

/** What a cluster's own parts and the usual network add-ons use: nobody here could pull them. */
const KNOWN = [
  'registry.k8s.io/*',
  'docker.io/calico/*',
  'quay.io/calico/*',
  'docker.io/flannel/*',
  'ghcr.io/flannel-io/*',
  'quay.io/coreos/flannel*',
  'quay.io/cilium/*',
  'quay.io/tigera/*',
];

/** The full name of an image: `nginx` is `docker.io/library/nginx:latest`. */
export function normalizedImage(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const full = hasHost ? image : rest.length > 0 ? `docker.io/${image}` : `docker.io/library/${image}`;
  const tagged = full.includes('@') || /:[^/]*$/.test(full);
  return tagged ? full : `${full}:latest`;
}

export async function knownPatterns(): Promise<string[]> {
  const text = await readIfThere(IMAGES_FILE);
  if (text === undefined) return KNOWN;
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
}

export const isKnownImage = (image: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const body = pattern
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*');
    return new RegExp(`^${body}$`).test(normalizedImage(image)) || new RegExp(`^${body}$`).test(image);
  });
