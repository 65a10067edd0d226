import type { PackageFileRef } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { ClusterStepInput } from '../cluster/node-input.js';

export interface InstallNetworkManifestsInput extends ClusterStepInput {
  /** Whose manifests they are: Calico's, which the service has as a file, or the package's. */
  addon: 'calico' | 'manifests';
  /** Of the package, in the order in which they are applied; none of Calico's. */
  manifests?: PackageFileRef[];
  /** Registry and path that Calico's images come of; as its manifest has them, unless given. */
  imageRepository?: string;
}

/** Gives the cluster a pod network by manifests. What it has of them by then stands in a ConfigMap of the cluster. */
export const installNetworkManifests = defineAction<InstallNetworkManifestsInput>({
  service: 'k8s-mgmt',
  name: 'install-network-manifests',
  version: 1,
});
