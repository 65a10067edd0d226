import { fileURLToPath } from 'node:url';
import path from 'node:path';
import type { Download } from './download.js';
import { DOWNLOADS } from './downloads.js';
import { ARCHITECTURE } from './image-layout.js';
import { CNI_PLUGINS, KUBERNETES_PROGRAMS, KUBERNETES_SOURCE, PART_VERSIONS, REAL_KUBERNETES_VERSIONS } from './versions.js';

/** A program that Go builds. */
export interface GoProgram {
  /** Where it goes in the folder of binaries, such as `v1.34.4/kubeadm`. */
  to: string;
  package: string;
  /** Values of string variables, by their full names. */
  stamps?: Readonly<Record<string, string>>;
  /** It has C in it, so that it needs gcc. */
  c?: boolean;
}

/** What is fetched or built as one, and kept as one. */
export interface Part {
  name: string;
  /** What is said of it on the screen. */
  title: string;
  /** Folder with the part's go.mod and go.sum. */
  module: string;
  programs: readonly GoProgram[];
  /** Official archives with all of its programs; empty where no digest of theirs is known. */
  downloads: readonly Download[];
}

const MODULES = fileURLToPath(new URL('../../../../tools/kubernetes/', import.meta.url));

const part = (name: string, title: string, programs: readonly GoProgram[]): Part => ({
  ...{ name, title, programs },
  module: path.join(MODULES, name),
  downloads: (ARCHITECTURE === 'amd64' ? DOWNLOADS[name] : undefined) ?? [],
});

/** A commit and a date of nobody: what is stamped must be the same whenever it is built. */
const kubernetesStamps = (version: string): Record<string, string> => {
  const values = {
    gitVersion: `v${version}`,
    gitMajor: '1',
    gitMinor: version.split('.')[1] ?? '',
    gitTreeState: 'clean',
    gitCommit: 'windlass-lab',
    buildDate: '2026-01-01T00:00:00Z',
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return Object.fromEntries(
    packages.flatMap((name) => Object.entries(values).map(([variable, value]) => [`${name}.${variable}`, value])),
  );
};

const CNI = 'github.com/containernetworking/plugins';
const CNI_KINDS: Readonly<Partial<Record<string, string>>> = {
  ...Object.fromEntries(['bandwidth', 'firewall', 'portmap', 'sbr', 'tuning', 'vrf'].map((name) => [name, 'meta'])),
  ...Object.fromEntries(['dhcp', 'host-local', 'static'].map((name) => [name, 'ipam'])),
};

/** The quick ones first, so that what is missing shows before the long ones. */
export const PARTS: readonly Part[] = [
  part('pause', 'pause', [{ to: 'pause', package: '.' }]),
  part(
    'cni',
    `CNI plugins ${PART_VERSIONS.cni}`,
    CNI_PLUGINS.map((name) => ({
      to: `cni/${name}`,
      package: `${CNI}/plugins/${CNI_KINDS[name] ?? 'main'}/${name}`,
      stamps: { [`${CNI}/pkg/utils/buildversion.BuildVersion`]: `v${PART_VERSIONS.cni}` },
    })),
  ),
  part('flannel-cni', `flannel's CNI plugin (CNI plugins ${PART_VERSIONS.flannelCni})`, [
    { to: 'flannel-cni', package: `${CNI}/plugins/meta/flannel` },
  ]),
  part('flannel', `flannel ${PART_VERSIONS.flannel}`, [
    {
      to: 'flanneld',
      package: 'github.com/flannel-io/flannel',
      stamps: { 'github.com/flannel-io/flannel/pkg/version.Version': `v${PART_VERSIONS.flannel}` },
      c: true,
    },
  ]),
  part('cri-tools', `cri-tools ${PART_VERSIONS.criTools}`, [
    {
      to: 'crictl',
      package: 'sigs.k8s.io/cri-tools/cmd/crictl',
      stamps: { 'sigs.k8s.io/cri-tools/pkg/version.Version': `v${PART_VERSIONS.criTools}` },
    },
  ]),
  part(
    'etcd',
    `etcd ${PART_VERSIONS.etcd}`,
    Object.entries({ etcd: 'server', etcdctl: 'etcdctl', etcdutl: 'etcdutl' }).map(([to, module]) => ({
      to,
      package: `go.etcd.io/etcd/${module}/v3`,
      stamps: { 'go.etcd.io/etcd/api/v3/version.GitSHA': 'windlass-lab' },
    })),
  ),
  part('coredns', `CoreDNS ${PART_VERSIONS.coredns}`, [{ to: 'coredns', package: 'github.com/coredns/coredns' }]),
  part(
    'kubernetes',
    `Kubernetes ${REAL_KUBERNETES_VERSIONS.join(' and ')}`,
    // The source's own stamp first: the others are only linked anew.
    [...REAL_KUBERNETES_VERSIONS]
      .sort((one, other) => Number(other === KUBERNETES_SOURCE) - Number(one === KUBERNETES_SOURCE))
      .flatMap((version) =>
        KUBERNETES_PROGRAMS.map((name) => ({
          to: `v${version}/${name}`,
          package: `k8s.io/kubernetes/cmd/${name}`,
          stamps: kubernetesStamps(version),
        })),
      ),
  ),
];
