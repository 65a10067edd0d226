import { Secret } from '@windlass/foundation';
import { targetOf, type DriverPorts, type PackageFiles } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction, type StepRun } from '@windlass/saga';
import { boundCertificatesActions } from './certificates/bound-actions.js';
import { boundControlPlaneActions } from './cluster/masters/control-plane-actions.js';
import { NodeBesideEtcdContext } from './etcd/etcd-context.js';
import { boundEtcdActions } from './etcd/etcd-actions.js';
import { boundBalancerActions } from './balancer/bound-actions.js';
import { boundConnectivityActions } from './cluster/nodes/bound-actions.js';
import { boundExternalLbActions } from './external-lb/external-lb-actions.js';
import { boundKubesprayActions } from './kubespray/bound-actions.js';
import { installNetworkManifestsWork, NetworkContext } from './network/install-network-manifests.action.js';
import type { K8sMgmtSettings } from './settings/settings.js';
import { ClusterContext, NodeContext } from './node/node-context.js';
import type { ClusterStepInput, NodeStepInput } from './cluster/node-input.js';
import { boundNodePortActions } from './node-ports/bound-actions.js';
import { boundSnapshotActions } from './snapshots/bound-actions.js';
import { checkVimUnusedWork, deregisterVimWork, registerVimWork, type VimContext } from './cluster/vim/vim-actions.js';
import type { RunInstallScriptInput } from './cluster/contracts.js';
import { createAdminAccountWork } from './cluster/masters/create-admin-account.action.js';
import { initControlPlaneWork } from './cluster/masters/init-control-plane.action.js';
import { inspectNodesWork } from './node/inspect-nodes.action.js';
import { installKubernetesWork } from './node/install-kubernetes.action.js';
import { installNetworkWork } from './network/install-network.action.js';
import { installRuntimeWork } from './node/install-runtime.action.js';
import { joinWorkerWork } from './cluster/nodes/join-worker.action.js';
import { labelNodeWork } from './cluster/nodes/label-node.action.js';
import { cordonNodeWork, drainNodeWork, removeNodeWork } from './cluster/nodes/leaving-node.actions.js';
import { nameNodesWork } from './cluster/nodes/name-nodes.action.js';
import { prepareNodeWork } from './node/prepare-node.action.js';
import { readClusterVersionWork } from './cluster/nodes/read-cluster-version.action.js';
import { removeProbesWork } from './cluster/verify/remove-probes.action.js';
import { revokeJoinTokensWork } from './cluster/masters/revoke-join-tokens.action.js';
import { runInstallScriptWork } from './packaged-script/run-install-script.action.js';
import { updatePeersWork } from './cluster/nodes/update-peers.action.js';
import { verifyClusterWork } from './cluster/verify/verify-cluster.action.js';

/** With what a packaged script is made of. */
class ScriptRunContext extends NodeBesideEtcdContext<RunInstallScriptInput> {
  constructor(run: StepRun<RunInstallScriptInput>, { hosts, packages }: DriverPorts) {
    super(run, hosts);
    this.packages = packages;
  }

  readonly packages: PackageFiles;

  get known(): readonly Secret[] {
    const { password, passphrase } = targetOf(this.node);
    return [...this.secrets, ...[password, passphrase].filter((secret) => secret !== undefined)];
  }

  protected override get secrets(): readonly Secret[] {
    return [...super.secrets, ...(this.input.join === undefined ? [] : [new Secret(this.input.join.token)])];
  }
}

/** Every action of the service, bound to its ports. */
export function boundActions(
  ports: DriverPorts,
  { calicoManifest: calico }: Pick<K8sMgmtSettings, 'calicoManifest'>,
): BoundAction[] {
  const onNode = <Input extends NodeStepInput, Output>(action: Action<NodeContext<Input>, Input, Output>): BoundAction[] =>
    bindActions([action], (run, work) => work(new NodeContext<Input>(run, ports.hosts)));
  const onCluster = <Input extends ClusterStepInput, Output>(
    action: Action<ClusterContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => work(new ClusterContext<Input>(run, ports.hosts)));
  const onVim = <Input, Output>(action: Action<VimContext<Input>, Input, Output>): BoundAction[] =>
    bindActions([action], (run, work) => work({ run, vims: ports.vims }));
  return [
    ...onNode(inspectNodesWork),
    ...onNode(prepareNodeWork),
    ...onNode(installRuntimeWork),
    ...onNode(installKubernetesWork),
    ...onNode(initControlPlaneWork),
    ...onCluster(installNetworkWork),
    ...bindActions([installNetworkManifestsWork], (run, work) =>
      work(new NetworkContext(run, ports.hosts, { packages: ports.packages, calico })),
    ),
    ...onNode(joinWorkerWork),
    ...onNode(labelNodeWork),
    ...onCluster(nameNodesWork),
    ...onCluster(readClusterVersionWork),
    ...onCluster(cordonNodeWork),
    ...onCluster(drainNodeWork),
    ...onNode(removeNodeWork),
    ...onNode(updatePeersWork),
    ...onCluster(verifyClusterWork),
    ...onCluster(removeProbesWork),
    ...onCluster(revokeJoinTokensWork),
    ...onCluster(createAdminAccountWork),
    ...bindActions([runInstallScriptWork], (run, work) => work(new ScriptRunContext(run, ports))),
    ...boundBalancerActions(ports),
    ...boundConnectivityActions(ports),
    ...onVim(registerVimWork),
    ...onVim(checkVimUnusedWork),
    ...onVim(deregisterVimWork),
    ...boundEtcdActions(ports),
    ...boundSnapshotActions(ports),
    ...boundCertificatesActions(ports),
    ...boundControlPlaneActions(ports),
    ...boundExternalLbActions(ports),
    ...boundKubesprayActions(ports),
    ...boundNodePortActions(ports),
  ];
}
