import { TerminalError } from '@windlass/foundation';
import type { KubernetesInput, RuntimeInput } from './node-input.js';
import type { AptSource } from '../settings/settings.js';
import { KNOWN_MINORS, MINOR_IN_URL, kubernetesMinor, minorOf } from '../settings/kubernetes-versions.js';

/** Where nodes get their packages, as the operator has decided it for all clusters. */
export interface PackageSources {
  /** The apt repository of Kubernetes, with `{minor}` in place of the version's minor; null: the nodes' own apt sources. */
  aptUrl: string | null;
  fingerprint: string;
  /** The package with containerd. */
  package: string;
  source: AptSource | null;
}

/** What a node of a cluster has installed. */
export interface NodePackages {
  kubernetes: KubernetesInput;
  runtime: RuntimeInput;
}

/**
 * What a node with this version of Kubernetes, such as `1.34.1`, has to have installed.
 * @param imageRepository where the cluster's images are: `registry.k8s.io`
 * @throws TerminalError `cluster.unknown-version`, `cluster.other-repository`: each says what to do
 */
export function nodePackages(
  version: string,
  imageRepository: string,
  { aptUrl, fingerprint, ...containerd }: PackageSources,
): NodePackages {
  const minor = minorOf(version);
  if (!KNOWN_MINORS.includes(minor))
    throw new TerminalError(
      'cluster.unknown-version',
      `the cluster runs Kubernetes v${version}, and known are ${KNOWN_MINORS.join(', ')}: install a release of Windlass that knows ${minor}, then retry; what the cluster runs is left as it is`,
    );
  const { pauseTag, leastContainerd } = kubernetesMinor(version);
  const pauseImage = `${imageRepository}/pause:${pauseTag}`;
  return {
    kubernetes: { version, aptUrl: aptUrl === null ? null : aptUrlOf(version, aptUrl), fingerprint },
    runtime: { pauseImage, leastContainerd, ...containerd },
  };
}

/** The repository's URL for the version. A repository of a single minor names the minor in its path, as pkgs.k8s.io and its mirrors do. */
function aptUrlOf(version: string, url: string): string {
  const minor = minorOf(version);
  const of = url.split('/').find((part) => /^v1\.\d{1,4}$/.test(part));
  if (of === undefined || of === `v${minor}`) return url.replaceAll(MINOR_IN_URL, minor);
  throw new TerminalError(
    'cluster.other-repository',
    `KUBERNETES_APT_URL ${url} is the repository of ${of.slice(1)}, and the cluster runs Kubernetes v${version}: tell k8s-mgmt a URL with ${MINOR_IN_URL} in place of ${of.slice(1)} (${url.replace(of, `v${MINOR_IN_URL}`)}), have the packages of ${minor} there, restart it, then retry`,
  );
}
