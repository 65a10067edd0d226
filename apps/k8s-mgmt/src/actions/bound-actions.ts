import { Secret } from '@windlass/foundation';
import { targetOf, type DriverPorts, type PackageFiles } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction, type StepRun } from '@windlass/saga';
import { boundCertificatesActions } from '../certificates/bound-actions.js';
import { boundControlPlaneActions } from '../control-plane/control-plane-actions.js';
import { NodeBesideEtcdContext } from '../etcd/etcd-context.js';
import { boundEtcdActions } from '../etcd/etcd-actions.js';
import { boundBalancerActions } from '../balancer/bound-actions.js';
import { boundConnectivityActions } from '../connectivity/bound-actions.js';
import { boundExternalLbActions } from '../external-lb/external-lb-actions.js';
import { boundKubesprayActions } from '../kubespray/bound-actions.js';
import { installNetworkManifestsWork, NetworkContext } from '../network/install-network-manifests.action.js';
import type { K8sMgmtSettings } from '../settings.js';
import { ClusterContext, NodeContext } from '../node/node-context.js';
import type { ClusterStepInput, NodeStepInput } from '../node/node-input.js';
import { boundNodePortActions } from '../node-ports/bound-actions.js';
import { boundSnapshotActions } from '../snapshots/bound-actions.js';
import { checkVimUnusedWork, deregisterVimWork, registerVimWork, type VimContext } from '../vim/vim-actions.js';
import type { RunInstallScriptInput } from './contracts.js';
import { createAdminAccountWork } from './create-admin-account.action.js';
import { initControlPlaneWork } from './init-control-plane.action.js';
import { inspectNodesWork } from './inspect-nodes.action.js';
import { installKubernetesWork } from './install-kubernetes.action.js';
import { installNetworkWork } from './install-network.action.js';
import { installRuntimeWork } from './install-runtime.action.js';
import { joinWorkerWork } from './join-worker.action.js';
import { labelNodeWork } from './label-node.action.js';
import { cordonNodeWork, drainNodeWork, removeNodeWork } from './leaving-node.actions.js';
import { nameNodesWork } from './name-nodes.action.js';
import { prepareNodeWork } from './prepare-node.action.js';
import { readClusterVersionWork } from './read-cluster-version.action.js';
import { removeProbesWork } from './remove-probes.action.js';
import { revokeJoinTokensWork } from './revoke-join-tokens.action.js';
import { runInstallScriptWork } from './run-install-script.action.js';
import { updatePeersWork } from './update-peers.action.js';
import { verifyClusterWork } from './verify-cluster.action.js';

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
