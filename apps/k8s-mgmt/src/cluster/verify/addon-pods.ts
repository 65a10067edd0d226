import type { KubeCluster } from '../kube-cluster.js';
import { FLANNEL } from '../../network/flannel.js';
import type { AddonPods } from './why-not-ready.js';
import type { NetworkChoice } from '../../settings/network-choice.js';
import { installedNetwork } from '../../network/workloads.js';

const BY_REPOSITORY = 'image_repository of the request; KUBERNETES_IMAGE_REPOSITORY';

const IMAGES: Readonly<Record<NetworkChoice['addon'], string>> = {
  flannel: `${BY_REPOSITORY} and FLANNEL_IMAGE of the service`,
  calico: `${BY_REPOSITORY} and the images in CALICO_MANIFEST of the service`,
  manifests: 'the network add-on’s manifests in the package',
  none: 'the manifests of your network add-on',
};

/**
 * The workloads of a cluster's network add-on. The cluster itself keeps the record of those that manifests made; nothing is known where that record
 * was deleted.
 * @returns undefined while the API does not answer
 */
export async function addonPods(
  cluster: Pick<KubeCluster, 'ask'>,
  addon: NetworkChoice['addon'],
): Promise<AddonPods | undefined> {
  const images = IMAGES[addon];
  if (addon === 'flannel') return { workloads: [FLANNEL], images };
  if (addon === 'none') return { workloads: [], images };
  const said = { silent: false };
  const installed = await installedNetwork(cluster, (why) => (said.silent = !why.includes('(NotFound)')));
  if (installed === undefined && said.silent) return undefined;
  return { workloads: installed?.workloads ?? [], images };
}
