import { isJsonObject } from '@windlass/foundation';
import type { KubeClient } from '../client/kube-client.js';
import { writeWhole } from '../host/files.js';
import { hasModule } from '../host/kernel.js';
import { addressAt, parseCidr } from '../kube/ip-range.js';
import type { ConfigMap, KubeNode, Pod } from '../kube/kinds.js';
import { listAt, stringAt } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { normalizedImage } from './images.js';

export const CNI_FOLDER = '/etc/cni/net.d';

/** The add-on's own container would end with this message. */
export class AddonFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AddonFailure';
  }
}

interface Setting {
  client: KubeClient;
  node: KubeNode | undefined;
  nodeName: string;
}

/**
 * What the containers of a network add-on do to their node: write its CNI configuration. Nothing happens for other pods.
 * @throws AddonFailure where the real container would fail
 */
export async function runNetworkAddon(pod: Pod, setting: Setting): Promise<void> {
  const addon = addonOf(pod);
  if (addon === 'calico') await runCalico(pod, setting);
  else if (addon === 'flannel') await runFlannel(pod, setting);
  else if (addon === 'cilium') await runCilium();
}

/** By its images; undefined for other pods. */
export function addonOf(pod: Pod): 'calico' | 'flannel' | 'cilium' | undefined {
  const images = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((container) =>
    normalizedImage(container.image),
  );
  if (images.some((image) => /\/calico\/node[:@]/.test(image))) return 'calico';
  if (images.some((image) => /\/flannel[:@]/.test(image))) return 'flannel';
  return images.some((image) => /\/cilium\/cilium[:@]/.test(image)) ? 'cilium' : undefined;
}

/** flannel's `install-cni` copies `cni-conf.json`; `kube-flannel` needs the node's part of the network, and br_netfilter. */
async function runFlannel(pod: Pod, { client, node, nodeName }: Setting): Promise<void> {
  const map = await configMapOf(
    pod,
    client,
    (data) => data['cni-conf.json'] !== undefined && data['net-conf.json'] !== undefined,
  );
  if (map === undefined) throw new AddonFailure('Failed to find the ConfigMap with cni-conf.json and net-conf.json');
  await writeWhole(`${CNI_FOLDER}/10-flannel.conflist`, checkedConfiguration(map['cni-conf.json'] ?? ''), 0o644);
  if (!(await hasModule('br_netfilter'))) {
    throw new AddonFailure(
      'Failed to check br_netfilter: stat /proc/sys/net/bridge/bridge-nf-call-iptables: no such file or directory',
    );
  }
  const range = parseCidr(node?.spec?.podCIDR ?? '');
  if (range === undefined)
    throw new AddonFailure(`Error registering network: failed to acquire lease: node "${nodeName}" pod cidr not assigned`);
  const network = stringAt(JSON.parse(map['net-conf.json'] ?? '{}'), 'Network') ?? '';
  const gateway = `${addressAt(range, 1)}/${range.prefix}`;
  await writeWhole(
    '/run/flannel/subnet.env',
    `FLANNEL_NETWORK=${network}\nFLANNEL_SUBNET=${gateway}\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n`,
    0o644,
  );
}

/** calico's `install-cni` fills in the template that its ConfigMap has, under the name that its environment gives. */
async function runCalico(pod: Pod, { client, nodeName }: Setting): Promise<void> {
  const map = await configMapOf(pod, client, (data) => data.cni_network_config !== undefined);
  if (map === undefined) throw new AddonFailure('Failed to find the ConfigMap with cni_network_config');
  const container = (pod.spec.initContainers ?? []).find(({ name }) => name === 'install-cni');
  const fileName = container?.env?.find(({ name }) => name === 'CNI_CONF_NAME')?.value ?? '10-calico.conflist';
  const values: Record<string, string> = {
    __KUBERNETES_NODE_NAME__: nodeName,
    __KUBECONFIG_FILEPATH__: `${CNI_FOLDER}/calico-kubeconfig`,
    __CNI_MTU__: map.veth_mtu ?? '0',
    __LOG_LEVEL__: 'info',
    __LOG_FILE_PATH__: '/var/log/calico/cni/cni.log',
  };
  const text = Object.entries(values).reduce(
    (result, [name, value]) => result.replaceAll(name, value),
    map.cni_network_config ?? '',
  );
  await writeWhole(`${CNI_FOLDER}/calico-kubeconfig`, '# windlass-lab stand-in: calico would keep its token here\n');
  await writeWhole(`${CNI_FOLDER}/${fileName}`, checkedConfiguration(text), 0o644);
}

/** cilium's agent writes this file by itself. */
const runCilium = (): Promise<void> =>
  writeWhole(
    `${CNI_FOLDER}/05-cilium.conflist`,
    `${JSON.stringify({ cniVersion: '0.3.1', name: 'cilium', plugins: [{ type: 'cilium-cni', 'enable-debug': false, 'log-file': '/var/run/cilium/cilium-cni.log' }] }, undefined, 2)}\n`,
    0o644,
  );

/** The data of the first ConfigMap that the pod mounts or takes its environment from, and that has what is looked for. */
async function configMapOf(
  pod: Pod,
  client: KubeClient,
  fits: (data: Record<string, string>) => boolean,
): Promise<Record<string, string> | undefined> {
  const mounted = (pod.spec.volumes ?? []).map((volume) => volume.configMap?.name);
  const fromEnvironment = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap((container) =>
    listAt(container, 'env').map((entry) => stringAt(entry, 'valueFrom', 'configMapKeyRef', 'name')),
  );
  for (const name of new Set([...mounted, ...fromEnvironment])) {
    if (name === undefined) continue;
    const map = await client.find<ConfigMap>(R.configmaps, { namespace: pod.metadata.namespace ?? '', name });
    if (map?.data !== undefined && fits(map.data)) return map.data;
  }
  return undefined;
}

/** @throws AddonFailure for what the container runtime could not load */
function checkedConfiguration(text: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new AddonFailure(`the CNI configuration is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(parsed) || listAt(parsed, 'plugins').length === 0)
    throw new AddonFailure('the CNI configuration has no plugins');
  return text;
}
