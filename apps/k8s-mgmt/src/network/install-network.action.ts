import { isJsonObject, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { DIGEST_ANNOTATION, flannelManifest } from './flannel.js';
import type { ClusterContext } from '../node/node-context.js';
import { installNetwork, type InstallNetworkInput } from '../cluster/contracts.js';

/** Gives the cluster its pod network. Its undo is the control plane's: without that there is nobody to ask. */
export const installNetworkWork = implementAction(installNetwork, {
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
