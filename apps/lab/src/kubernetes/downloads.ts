import type { Download } from './download.js';
import { CNI_PLUGINS, KUBERNETES_PROGRAMS, PART_VERSIONS } from './versions.js';

const { etcd, cni, criTools } = PART_VERSIONS;

/** Published in the project's CHANGELOG-1.34.md, for amd64. */
const KUBERNETES_SHA512: Readonly<Record<string, string>> = {
  '1.34.4':
    '65c75e81e3ea488f6d42b493cad64d7577ddfa1e5372037a1c841ac069039997d359b5b2f2d44e7665bf04c48ed0065cf9d4c9801b1e63bb6a1b099ef00d4863',
  '1.34.5':
    'c7970e1e061a1c07acfa23d9166aeae583d27cbe2fdf14f0d7c17d2425a7292a7347775413258635ca458c5fd84e8f48e63ff6e12fb37489d9cf2106e8c721a2',
};

/**
 * What projects publish, by part, with the digests that they published. For amd64 alone: on another machine Go builds.
 * A part that is not here has no published digest that we know: CoreDNS, flannel and its plugin. They are never taken on trust.
 */
export const DOWNLOADS: Readonly<Partial<Record<string, readonly Download[]>>> = {
  kubernetes: Object.entries(KUBERNETES_SHA512).map(([version, hex]) => ({
    url: `https://dl.k8s.io/v${version}/kubernetes-server-linux-amd64.tar.gz`,
    digest: { algorithm: 'sha512', hex },
    programs: Object.fromEntries(KUBERNETES_PROGRAMS.map((name) => [`kubernetes/server/bin/${name}`, `v${version}/${name}`])),
  })),
  etcd: [
    {
      url: `https://github.com/etcd-io/etcd/releases/download/v${etcd}/etcd-v${etcd}-linux-amd64.tar.gz`,
      digest: { algorithm: 'sha256', hex: '66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3' },
      programs: Object.fromEntries(['etcd', 'etcdctl', 'etcdutl'].map((name) => [`etcd-v${etcd}-linux-amd64/${name}`, name])),
    },
  ],
  cni: [
    {
      url: `https://github.com/containernetworking/plugins/releases/download/v${cni}/cni-plugins-linux-amd64-v${cni}.tgz`,
      digest: { algorithm: 'sha256', hex: '1a28a0506bfe5bcdc981caf1a49eeab7e72da8321f1119b7be85f22621013098' },
      programs: Object.fromEntries(CNI_PLUGINS.map((name) => [`./${name}`, `cni/${name}`])),
    },
  ],
  'cri-tools': [
    {
      url: `https://github.com/kubernetes-sigs/cri-tools/releases/download/v${criTools}/crictl-v${criTools}-linux-amd64.tar.gz`,
      digest: { algorithm: 'sha256', hex: 'a8ff2a3edb37a98daf3aba7c3b284fe0aa5bff24166d896ab9ef64c8913c9f51' },
      programs: { crictl: 'crictl' },
    },
  ],
};
