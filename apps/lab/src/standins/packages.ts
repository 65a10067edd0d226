import type { StandinFile, StandinPackage } from '../debian/standin-package.js';
import { bundlePrograms, type Program } from './bundle.js';
import { LSMOD, MODPROBE, MODULES_LOAD_DROP_IN, SYSCTL } from './kernel/scripts.js';
import { LAB_NODE, LIBRARY } from './programs.js';
import { KUBELET_DROP_IN, KUBELET_UNIT } from './units.js';

/** Versions of Kubernetes that the lab's repository has, newest first, as pkgs.k8s.io names them. */
export const KUBERNETES_VERSIONS = ['1.34.1-1.1', '1.33.5-1.1'] as const;

const CRI_TOOLS: Readonly<Record<string, string>> = { '1.34': '1.34.0-1.1', '1.33': '1.33.0-1.1' };
const CNI: Readonly<Record<string, string>> = { '1.34': '1.7.1-1.1', '1.33': '1.6.0-1.1' };

/** The package of the newer image that brings a newer kubectl of Debian's. */
export const NEWER_KUBECTL = 'windlass-lab-kubectl';

/**
 * What the newer image has instead: Debian's later kubectl and CNI plugins, as they are.
 * @param from where the programs of Debian's packages lie: kubectl itself, and the folder of the plugins
 */
export const newerStandins = (from: { kubectl: string; plugins: string; pluginNames: readonly string[] }): StandinPackage[] => [
  {
    name: NEWER_KUBECTL,
    version: '1',
    description: "windlass-lab: kubectl of a later Debian, under a name that the stand-in kubectl's package leaves free",
    files: [{ path: '/usr/bin/kubectl', mode: 0o755, source: from.kubectl }],
  },
  {
    name: 'kubernetes-cni',
    version: `${CNI['1.34'] ?? ''}+debian`,
    description:
      'windlass-lab: the CNI plugins of a later Debian where the package of pkgs.k8s.io has its own; no container runs them here',
    files: [
      ...from.pluginNames.map((name) => ({ path: `/opt/cni/bin/${name}`, mode: 0o755, source: `${from.plugins}/${name}` })),
      ...CNI_PAPERS,
    ],
  },
];

/** Debian's own packages that the stand-ins depend on: the lab's repository must have them too. */
export const STANDIN_NEEDS = ['etcd-server', 'etcd-client', 'kubernetes-client', 'openssl'] as const;

/** Files that every VM has from its first moment: node scripts call modprobe before they install anything. */
export const KERNEL_FILES: readonly StandinFile[] = [
  { path: '/usr/local/sbin/modprobe', mode: 0o755, content: MODPROBE },
  { path: '/usr/local/sbin/lsmod', mode: 0o755, content: LSMOD },
  { path: '/usr/local/sbin/sysctl', mode: 0o755, content: SYSCTL },
  { path: '/etc/systemd/system/systemd-modules-load.service.d/windlass-lab.conf', mode: 0o644, content: MODULES_LOAD_DROP_IN },
];

/** Layout of pkgs.k8s.io: one repository a minor version. */
const repositoryOf = (minor: string): string => `core:/stable:/v${minor}/deb`;

const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');

/** The stand-ins as Debian packages. Bundling takes a tenth of a second. */
export async function standinPackages(): Promise<StandinPackage[]> {
  const programs = await bundlePrograms();
  return [
    kernelPackage(),
    controlPlanePackage(programs),
    ...KUBERNETES_VERSIONS.flatMap((version) => kubernetesPackages(version, programs)),
  ];
}

/** A command in /usr/bin that runs a bundled program. */
const launcher = (program: Program): string =>
  `#!/bin/sh\n# windlass-lab stand-in\nexec ${LAB_NODE} ${LIBRARY}/${program}.cjs "$@"\n`;

const programFiles = (program: Program, text: string, version: string): StandinFile[] => [
  { path: `/usr/bin/${program}`, mode: 0o755, content: launcher(program) },
  { path: `${LIBRARY}/${program}.cjs`, mode: 0o644, content: text },
  { path: `${LIBRARY}/${program}.version`, mode: 0o644, content: `v${version.split('-')[0] ?? ''}\n` },
];

const kernelPackage = (): StandinPackage => ({
  name: 'windlass-lab-kernel',
  version: '1',
  // Node scripts call modprobe before they install anything.
  preinstalled: true,
  description: 'windlass-lab stand-ins for modprobe and lsmod, and a sysctl that knows it is in a lab VM',
  files: [...KERNEL_FILES],
});

/** What the images of a control plane would bring: programs, and the real etcd. */
const controlPlanePackage = (programs: Record<Program, string>): StandinPackage => ({
  name: 'windlass-lab-control-plane',
  version: '1',
  depends: ['etcd-server', 'etcd-client', 'openssl'],
  description: 'windlass-lab stand-ins for the control plane images (API server, controller manager, scheduler)',
  files: [
    ...(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const).map((program) => ({
      path: `${LIBRARY}/${program}.cjs`,
      mode: 0o644,
      content: programs[program],
    })),
    // An empty unit is a masked one: Debian's etcd-server would start a single etcd on the ports that kubeadm's etcd needs.
    { path: '/etc/systemd/system/etcd.service', mode: 0o644, content: '' },
  ],
});

function kubernetesPackages(version: string, programs: Record<Program, string>): StandinPackage[] {
  const minor = minorOf(version);
  const repository = repositoryOf(minor);
  const [criTools = '', cni = ''] = [CRI_TOOLS[minor], CNI[minor]];
  return [
    {
      name: 'kubeadm',
      version,
      repository,
      depends: [`cri-tools (>= ${minor}.0)`, 'openssl'],
      description: 'windlass-lab stand-in for kubeadm, strict about flags and configuration',
      files: programFiles('kubeadm', programs.kubeadm, version),
    },
    {
      name: 'kubelet',
      version,
      repository,
      depends: ['kubernetes-cni (>= 1.2.0)', 'iproute2', 'mount', 'util-linux', 'openssl', 'windlass-lab-control-plane'],
      description: 'windlass-lab stand-in for the kubelet: a real node without containers',
      files: [
        ...programFiles('kubelet', programs.kubelet, version),
        { path: '/usr/lib/systemd/system/kubelet.service', mode: 0o644, content: KUBELET_UNIT },
        { path: '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf', mode: 0o644, content: KUBELET_DROP_IN },
        { path: '/etc/default/kubelet', mode: 0o644, content: 'KUBELET_EXTRA_ARGS=\n' },
      ],
      conffiles: ['/etc/default/kubelet'],
      postinst: KUBELET_POSTINST,
    },
    {
      name: 'kubectl',
      version,
      repository,
      // The first of them is of the lab's newer image.
      depends: [`${NEWER_KUBECTL} | kubernetes-client`],
      description: "windlass-lab stand-in for the package kubectl: brings Debian's real kubectl",
      files: [
        {
          path: '/usr/share/windlass-lab/kubectl',
          mode: 0o644,
          content: "kubectl is Debian's own, from the package kubernetes-client.\n",
        },
      ],
    },
    {
      name: 'cri-tools',
      version: criTools,
      repository,
      description: 'windlass-lab stand-in for crictl',
      files: programFiles('crictl', programs.crictl, criTools),
    },
    {
      name: 'kubernetes-cni',
      version: cni,
      repository,
      description: 'windlass-lab stand-in for the CNI plugins, which nothing here runs',
      files: [...CNI_PLUGINS.map((name) => ({ path: `/opt/cni/bin/${name}`, mode: 0o755, content: CNI_PLUGIN })), ...CNI_PAPERS],
    },
  ];
}

const CNI_PLUGINS = [
  'bandwidth',
  'bridge',
  'dhcp',
  'dummy',
  'firewall',
  'host-device',
  'host-local',
  'ipvlan',
  'loopback',
  'macvlan',
  'portmap',
  'ptp',
  'sbr',
  'static',
  'tap',
  'tuning',
  'vlan',
  'vrf',
];

/** The real package has its papers among the programs: whoever runs all that lies there meets them. */
const CNI_PAPERS: readonly StandinFile[] = ['LICENSE', 'README.md'].map((name) => ({
  path: `/opt/cni/bin/${name}`,
  mode: 0o644,
  content: `windlass-lab stand-in: here the real package has its ${name}.\n`,
}));

const CNI_PLUGIN = '#!/bin/sh\necho "windlass-lab stand-in: no containers run here, so no CNI plugin does" >&2\nexit 1\n';

/** The real package enables and starts its service too; it then restarts every ten seconds until kubeadm has configured it. */
const KUBELET_POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  systemctl daemon-reload >/dev/null 2>&1 || true
  systemctl unmask kubelet.service >/dev/null 2>&1 || true
  systemctl enable kubelet.service >/dev/null 2>&1 || true
  if [ -d /run/systemd/system ]; then systemctl restart --no-block kubelet.service || true; fi
fi
`;
