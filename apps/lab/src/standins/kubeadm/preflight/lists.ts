import { ContainerRuntime } from '../../cri/container-runtime.js';
import { standinVersion } from '../../programs.js';
import { normalizedImage } from '../../kubelet/images.js';
import { controlPlaneImages } from '../images.js';
import { KUBERNETES, MANIFESTS, type InitSettings, type JoinSettings } from '../settings.js';
import { failed, fine, type Check } from './check.js';
import {
  containerRuntime,
  cpuCount,
  fileIsAvailable,
  firewall,
  folderIsAvailable,
  hostname,
  ipIsForwarded,
  isRoot,
  kubeletService,
  kubeletVersion,
  kubernetesVersion,
  memory,
  portIsFree,
  programExists,
  swapIsOff,
} from './checks.js';

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'];

/** Before all others, and alone: who is not root can't look at what they look at. */
export const firstChecks: readonly Check[] = [isRoot];

/** What every node must be. */
const common = (nodeName: string, criSocket: string, wanted: string | undefined): Check[] => [
  containerRuntime(criSocket),
  ipIsForwarded,
  swapIsOff,
  ...['losetup', 'mount', 'cp'].map(programExists),
  hostname(nodeName),
  kubeletVersion(wanted, standinVersion('kubeadm')),
  kubeletService,
  portIsFree(10250),
];

const controlPlanePorts = (bindPort: number): Check[] => [portIsFree(bindPort), portIsFree(10259), portIsFree(10257)];
const etcdPorts = (dataDir: string): Check[] => [portIsFree(2379), portIsFree(2380), folderIsAvailable(dataDir)];

export const initChecks = ({ cluster, node, local }: InitSettings): Check[] => [
  cpuCount,
  memory,
  kubernetesVersion(cluster.kubernetesVersion, standinVersion('kubeadm')),
  firewall,
  ...controlPlanePorts(local.bindPort),
  ...COMPONENTS.map((name) => fileIsAvailable(`${MANIFESTS}/${name}.yaml`)),
  ...common(node.name, node.criSocket, cluster.kubernetesVersion),
  ...etcdPorts(cluster.etcd.dataDir),
];

/** Before the cluster is asked anything. */
export const joinChecks = ({ node, controlPlane, discovery }: JoinSettings): Check[] => [
  ...(controlPlane === undefined
    ? [folderIsAvailable(MANIFESTS)]
    : COMPONENTS.map((name) => fileIsAvailable(`${MANIFESTS}/${name}.yaml`))),
  fileIsAvailable(`${KUBERNETES}/kubelet.conf`),
  fileIsAvailable(`${KUBERNETES}/bootstrap-kubelet.conf`),
  ...common(node.name, node.criSocket, undefined),
  ...(controlPlane === undefined && discovery.kind === 'token' ? [fileIsAvailable(`${KUBERNETES}/pki/ca.crt`)] : []),
];

/** For a further control plane node, when the cluster's configuration is known. */
export const joinControlPlaneChecks = (bindPort: number, dataDir: string): Check[] => [
  cpuCount,
  memory,
  ...controlPlanePorts(bindPort),
  ...etcdPorts(dataDir),
];

/** Each image of the control plane, pulled by the container runtime. */
export const imageChecks = ({ cluster, node }: Pick<InitSettings, 'cluster' | 'node'>): Check[] =>
  controlPlaneImages(cluster).map((image) => ({
    name: 'ImagePull',
    run: async () => {
      const problem = await pullProblem(image, node.criSocket);
      return problem === undefined ? fine : failed(`failed to pull image ${image}: ${problem}`);
    },
  }));

/** kubeadm asks so often, one time after the other, before it calls a pull failed (`PullImageRetry`). */
const PULL_TRIES = 5;

/** Why an image can't be had, or undefined. One that the runtime has is not asked for. */
export async function pullProblem(image: string, criSocket: string): Promise<string | undefined> {
  const runtime = new ContainerRuntime(criSocket);
  const name = normalizedImage(image);
  try {
    if ((await runtime.imageTags()).includes(name)) return undefined;
    for (let tries = 1; ; tries++) {
      try {
        await runtime.pullImage(name);
        return undefined;
      } catch (error) {
        if (tries === PULL_TRIES) throw error;
      }
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    runtime.close();
  }
}
