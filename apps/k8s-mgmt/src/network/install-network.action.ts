import { isJsonObject, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { ClusterStepInput } from '../cluster/node-input.js';
import type { ClusterContext } from '../node/node-context.js';
import type { NetworkImages } from '../settings/images.js';
import { DIGEST_ANNOTATION, flannelManifest } from './flannel.js';

export interface InstallNetworkInput extends ClusterStepInput {
  /** Plans of earlier releases have none: the images that flannel's makers publish. */
  images?: NetworkImages;
}

/** Installs the pod network. The undo of the control plane is enough: without a control plane there is no API to ask. */
export const installNetwork = implementAction(declared<InstallNetworkInput>('install-network'), {
  check: async ({ cluster, input }: ClusterContext<InstallNetworkInput>) => {
    const { digest } = flannelManifest(input.cluster.podCidr, input.images);
    const set = await cluster.ask(cmd`-n kube-flannel get daemonset kube-flannel-ds -o json`);
    const annotations = isJsonObject(set?.metadata) && isJsonObject(set.metadata.annotations) ? set.metadata.annotations : {};
    return annotations[DIGEST_ANNOTATION] === digest;
  },
  apply: async ({ cluster, input }) => {
    await cluster.apply('install-network', flannelManifest(input.cluster.podCidr, input.images).objects);
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
