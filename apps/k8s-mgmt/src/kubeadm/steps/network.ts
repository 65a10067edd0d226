import { packagePath, type PackageFileRef } from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import type { StepNode } from '@windlass/saga';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import type { VerifyClusterInput } from '../../cluster/verify/verify-cluster.action.js';
import { installNetworkManifests } from '../../network/install-network-manifests.action.js';
import { installNetwork } from '../../network/install-network.action.js';
import type { ScriptChoice } from '../../packaged-script/script-choice.js';
import { networkChoice } from '../../settings/network-choice.js';
import { clusterParams } from '../parameters/parameters.js';
import type { ClusterSteps } from './node-steps.js';

const GOES_WITH_THE_VM = { undoable: false } as const;

/** Installs the network add-on of a new cluster; no step where its users bring the network. */
export function networkInstalled(steps: ClusterSteps, firstMaster: ClusterNode): StepNode[] {
  const { hook, terms } = steps;
  const images = terms.networkImages;
  const choice = networkChoice(clusterParams(hook.instantiateParams));
  const through = [firstMaster];
  switch (choice.addon) {
    case 'none':
      return [];
    case 'flannel':
      return [steps.onCluster(installNetwork, { images }, GOES_WITH_THE_VM, through)];
    case 'calico':
      return [
        steps.onCluster(installNetworkManifests, { addon: 'calico', ...steps.terms.otherRepository }, GOES_WITH_THE_VM, through),
      ];
    case 'manifests': {
      const manifests = choice.paths.map((path) => fileOf(hook, path));
      return [steps.onCluster(installNetworkManifests, { addon: 'manifests', manifests }, GOES_WITH_THE_VM, through)];
    }
  }
}

/** The network add-on to wait for, where it is not flannel. Unset where a packaged script chooses the network. */
export function networkOfCluster(hook: HookContext, script: ScriptChoice): Pick<VerifyClusterInput, 'network'> {
  const { addon } = networkChoice(clusterParams(hook.instantiateParams));
  return script.kind === 'packaged' || addon === 'flannel' ? {} : { network: addon };
}

function fileOf({ files, vnfPkgId }: HookContext, path: string): PackageFileRef {
  const found = files.find((file) => file.path === packagePath(path));
  if (found === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
  const { size, sha256 } = found;
  return { vnfPkgId, path: found.path, size, sha256 };
}
