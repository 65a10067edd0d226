/** What a cluster's own parts, the usual network add-ons and the containers of the samples use: the lab's registries have these, whatever the tag. */
export const SERVED_IMAGES: readonly string[] = [
  'registry.k8s.io/*',
  'docker.io/calico/*',
  'quay.io/calico/*',
  'docker.io/flannel/*',
  'ghcr.io/flannel-io/*',
  'quay.io/coreos/flannel*',
  'quay.io/cilium/*',
  'quay.io/tigera/*',
  'docker.io/library/busybox',
];

/** Where containerd asks for the images of a registry, by the name that stands in front of them. */
const HOST_OF: Readonly<Record<string, string>> = {
  'registry.k8s.io': 'registry.k8s.io',
  'docker.io': 'registry-1.docker.io',
  'quay.io': 'quay.io',
  'ghcr.io': 'ghcr.io',
};

/** The names under which VMs find the lab's registries. */
export const REGISTRY_HOSTS: readonly string[] = Object.values(HOST_OF);

/** Where kubeadm asks for the newest release. The lab's internet has only a page of HTML there, and only `hostile` VMs find it. */
export const RELEASES_HOST = 'dl.k8s.io';

/** The image that a registry is asked for, in full but for its tag: `docker.io/calico/node`. Undefined where it is none of ours. */
export const imageAt = (host: string, repository: string): string | undefined => {
  const found = Object.entries(HOST_OF).find(([, served]) => served === host);
  return found === undefined ? undefined : `${found[0]}/${repository}`;
};

/** Whether the lab's registries have an image, given in full. */
export const isServed = (image: string, patterns: readonly string[] = SERVED_IMAGES): boolean =>
  patterns.some((pattern) => {
    const body = pattern
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*');
    return new RegExp(`^${body}$`).test(image);
  });

/** What a site's own registry has directly below {@link SITE_PATH}, and of where it was copied. */
const SITE_IMAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'etcd', 'pause'].map((name) => [
      name,
      `registry.k8s.io/${name}`,
    ]),
  ),
  // kubeadm leaves out a part of its path where the repository is not registry.k8s.io.
  coredns: 'registry.k8s.io/coredns/coredns',
  flannel: 'ghcr.io/flannel-io/flannel',
  'flannel-cni-plugin': 'ghcr.io/flannel-io/flannel-cni-plugin',
  busybox: 'docker.io/library/busybox',
};

/** The path of a site's own registry. */
export const SITE_PATH = 'kubernetes';

/** Where the internet has what a site's own registry is asked for by this path; undefined for what that has not. */
export function copiedFrom(path: string): { host: string; path: string } | undefined {
  const [, name = '', rest = ''] = new RegExp(`^/v2/${SITE_PATH}/([^/]+)(/(?:manifests|blobs)/[^/]+)$`).exec(path) ?? [];
  const image = SITE_IMAGES[name];
  if (image === undefined) return undefined;
  const [registry = '', ...repository] = image.split('/');
  return { host: HOST_OF[registry] ?? registry, path: `/v2/${repository.join('/')}${rest}` };
}
