import type { StandinFile, StandinPackage } from '../debian/standin-package.js';
import { KUBELET_DROP_IN } from '../standins/units.js';
import { ARCHITECTURE } from './image-layout.js';
import { CNI_PLUGINS, PART_VERSIONS, REAL_KUBERNETES_VERSIONS, type KubernetesVersion } from './versions.js';

// What the packages of pkgs.k8s.io have and where, by the spec files of the public repository kubernetes/release (cmd/krel/templates/latest):
// paths, units, relations. The texts are ours.

/** pkgs.k8s.io has one repository a minor version. */
const REPOSITORY = 'core:/stable:/v1.34/deb';

const BUILT_FROM = 'https://github.com/kubernetes/kubernetes';

/** Where each of the packages keeps what its licence asks for. */
const papers = (name: string, source: string): StandinFile[] => [
  { path: `/usr/share/doc/${name}/LICENSE`, mode: 0o644, content: licence(source) },
  { path: `/usr/share/doc/${name}/README.md`, mode: 0o644, content: `# ${name}\n\nPackaged by a Windlass lab from ${source}.\n` },
];

const licence = (source: string): string =>
  `The programs of this package are built or downloaded from ${source} and are under the Apache License, Version 2.0:\nhttps://www.apache.org/licenses/LICENSE-2.0\n`;

const program = (name: string, from: string): StandinFile => ({
  path: `/usr/bin/${name}`,
  mode: 0o755,
  source: `${from}/${name}`,
});

/**
 * kubeadm, kubelet, kubectl, kubernetes-cni and cri-tools of every version as pkgs.k8s.io lays them out, for the lab's own repository in the
 * place of the stand-ins' packages.
 * @param binaries folder of {@link RealKubernetes}
 */
export const realKubernetesPackages = (binaries: string): StandinPackage[] => [
  ...REAL_KUBERNETES_VERSIONS.flatMap((version) => kubernetesPackages(version, `${binaries}/v${version}`)),
  {
    ...common('cri-tools', PART_VERSIONS.criTools, 'Command-line utility for interacting with a container runtime'),
    files: [program('crictl', binaries), ...papers('cri-tools', 'https://github.com/kubernetes-sigs/cri-tools')],
  },
  {
    ...common('kubernetes-cni', PART_VERSIONS.cni, 'Binaries required to provision kubernetes container networking'),
    files: [
      ...CNI_PLUGINS.map((name) => ({ path: `/opt/cni/bin/${name}`, mode: 0o755, source: `${binaries}/cni/${name}` })),
      // The plugins' archive has its papers among them, and so has the package.
      { path: '/opt/cni/bin/LICENSE', mode: 0o644, content: licence(CNI_SOURCE) },
      { path: '/opt/cni/bin/README.md', mode: 0o644, content: `# plugins\n\nPackaged by a Windlass lab from ${CNI_SOURCE}.\n` },
      ...papers('kubernetes-cni', CNI_SOURCE),
      { path: '/etc/cni/net.d/.kubernetes-cni-keep', mode: 0o644, content: '' },
    ],
  },
];

const CNI_SOURCE = 'https://github.com/containernetworking/plugins';

const common = (name: string, version: string, description: string) => ({
  name,
  version: `${version}-1.1`,
  architecture: ARCHITECTURE,
  repository: REPOSITORY,
  description,
});

function kubernetesPackages(version: KubernetesVersion, from: string): StandinPackage[] {
  return [
    {
      ...common('kubeadm', version, 'Command-line utility for administering a Kubernetes cluster'),
      depends: ['cri-tools (>= 1.30.0)'],
      files: [
        program('kubeadm', from),
        { path: '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf', mode: 0o644, content: KUBELET_DROP_IN },
        ...papers('kubeadm', BUILT_FROM),
      ],
    },
    {
      ...common('kubelet', version, 'Node agent for Kubernetes clusters'),
      depends: ['kubernetes-cni (>= 1.2.0)', 'mount', 'util-linux'],
      files: [
        program('kubelet', from),
        { path: '/usr/lib/systemd/system/kubelet.service', mode: 0o644, content: KUBELET_UNIT },
        { path: '/etc/default/kubelet', mode: 0o644, content: 'KUBELET_EXTRA_ARGS=\n' },
        { path: '/etc/kubernetes/manifests/.kubelet-keep', mode: 0o644, content: '' },
        { path: '/var/lib/kubelet/.kubelet-keep', mode: 0o644, content: '' },
        ...papers('kubelet', BUILT_FROM),
      ],
      conffiles: ['/etc/default/kubelet'],
      postinst: KUBELET_POSTINST,
    },
    {
      ...common('kubectl', version, 'Command-line utility for interacting with a Kubernetes cluster'),
      files: [program('kubectl', from), ...papers('kubectl', BUILT_FROM)],
    },
  ];
}

const KUBELET_UNIT = `[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`;

/** What systemd's macros make of the package's scripts: the unit is enabled, and restarted where it runs. */
const KUBELET_POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  systemctl daemon-reload >/dev/null 2>&1 || true
  systemctl unmask kubelet.service >/dev/null 2>&1 || true
  systemctl enable kubelet.service >/dev/null 2>&1 || true
  if [ -d /run/systemd/system ]; then systemctl restart --no-block kubelet.service || true; fi
fi
`;
