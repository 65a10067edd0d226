import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import type { Finished, HostFleet } from '../../hosts/index.js';
import { machineSpec, startTestFleet } from '../../hosts/testing/test-fleet.js';
import { standinPackages } from '../packages.js';

/** A VM of a test, in which commands run as root. */
export interface LabNode {
  serverId: string;
  name: string;
  address: string;
  /** Runs a program. */
  exec(argv: readonly string[], input?: string): Promise<Finished>;
  /**
   * Runs a bash script. Returns stdout.
   * @throws Error with the output where the exit status is not 0
   */
  bash(script: string, input?: string): Promise<string>;
}

export interface LabNodes {
  fleet: HostFleet;
  nodes: LabNode[];
  /** Runs kubectl on a node as the cluster's administrator. */
  kubectl(node: LabNode, ...args: string[]): Promise<string>;
  eventually<T>(what: string, look: (seen: (last: string) => void) => Promise<T | undefined>): Promise<T>;
  /** Replaces a VM by a new one with the same name and address, on which nothing is installed. */
  respawn(node: LabNode): Promise<void>;
  end(): Promise<void>;
}

/** The part of a node script before kubeadm, by Kubernetes' documentation: modules, settings, containerd with systemd's cgroups, packages. */
export const PREPARE = `set -e
printf 'overlay\\nbr_netfilter\\n' > /etc/modules-load.d/k8s.conf
modprobe overlay
modprobe br_netfilter
printf 'net.bridge.bridge-nf-call-iptables = 1\\nnet.bridge.bridge-nf-call-ip6tables = 1\\nnet.ipv4.ip_forward = 1\\n' > /etc/sysctl.d/k8s.conf
sysctl --system > /dev/null
export DEBIAN_FRONTEND=noninteractive
apt-get update > /dev/null
apt-get install -y --no-install-recommends containerd kubelet=1.34.1-1.1 kubeadm=1.34.1-1.1 kubectl=1.34.1-1.1 > /dev/null
apt-mark hold kubelet kubeadm kubectl > /dev/null
mkdir -p /etc/containerd
containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' > /etc/containerd/config.toml
systemctl restart containerd
systemctl enable --now kubelet 2> /dev/null
`;

/** Starts VMs with each other's names in /etc/hosts, on which nothing is installed. */
export async function startLabNodes(names: readonly string[]): Promise<LabNodes> {
  const { fleet, end } = await startTestFleet({ standins: await standinPackages() });
  try {
    const nodes = await Promise.all(names.map((name, index) => boot(fleet, name, index)));
    const hosts = nodes.map(({ address, name }) => `${address} ${name}\n`).join('');
    const introduce = (node: LabNode): Promise<string> => node.bash('cat >> /etc/hosts', hosts);
    await Promise.all(nodes.map(introduce));
    return {
      fleet,
      nodes,
      kubectl: async (node, ...args) =>
        succeeded(await node.exec(['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', ...args]), args.join(' ')),
      eventually: (what, look) =>
        waitUntil(look, { for: what, within: minutes(3), every: millis(100), growth: 1.2, atMost: seconds(1) }),
      respawn: async (node) => {
        await fleet.destroy(node.serverId);
        await boot(fleet, node.name, nodes.indexOf(node));
        await introduce(node);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function boot(fleet: HostFleet, name: string, index: number): Promise<LabNode> {
  const spec = machineSpec(fleet, index, { name });
  await fleet.boot(spec);
  await fleet.ready(spec.serverId);
  const exec = (argv: readonly string[], input?: string): Promise<Finished> =>
    fleet.exec(spec.serverId, argv, { within: minutes(3), ...(input === undefined ? {} : { input }) });
  const [nic] = spec.nics;
  if (nic === undefined) throw new Error('unreachable');
  return {
    serverId: spec.serverId,
    name,
    address: nic.address,
    exec,
    bash: async (script, input) => succeeded(await exec(['bash', '-c', script], input), script),
  };
}

function succeeded({ status, stdout, stderr }: Finished, what: string): string {
  if (status !== 0) throw new Error(`${what}\nended with status ${status ?? 'none'}\n${stdout}\n${stderr}`);
  return stdout.trim();
}

/** The part of a network add-on like flannel that a node needs. */
export const FLANNEL = `apiVersion: v1
kind: Namespace
metadata: {name: kube-flannel}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: flannel, namespace: kube-flannel}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kube-flannel-cfg, namespace: kube-flannel}
data:
  cni-conf.json: |
    {"name": "cbr0", "cniVersion": "0.3.1", "plugins": [{"type": "flannel", "delegate": {"isDefaultGateway": true}}]}
  net-conf.json: |
    {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: kube-flannel-ds, namespace: kube-flannel}
spec:
  selector: {matchLabels: {app: flannel}}
  template:
    metadata: {labels: {app: flannel}}
    spec:
      hostNetwork: true
      serviceAccountName: flannel
      tolerations: [{operator: Exists, effect: NoSchedule}]
      initContainers: [{name: install-cni, image: "ghcr.io/flannel-io/flannel:v0.27.3"}]
      containers: [{name: kube-flannel, image: "ghcr.io/flannel-io/flannel:v0.27.3"}]
      volumes: [{name: flannel-cfg, configMap: {name: kube-flannel-cfg}}]
`;
