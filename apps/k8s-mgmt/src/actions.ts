import {
  boundTo,
  MastersContext,
  serviceAction,
  type DriverPorts,
  type MasterInput,
  type MastersStepInput,
  type ServiceAction,
} from '@windlass/driver-kit';
import type { Action, BoundAction } from '@windlass/saga';
import { changeBackEnds } from './balancer/change-back-ends.action.js';
import { changeLoadBalancer } from './balancer/change-load-balancer.action.js';
import { configureLoadBalancer } from './balancer/configure-load-balancer.action.js';
import { leaveLoadBalancer } from './balancer/leave-load-balancer.action.js';
import { verifyLoadBalancer } from './balancer/verify-load-balancer.action.js';
import { checkCertificates } from './certificates/check-certificates.action.js';
import { checkRenewal } from './certificates/check-renewal.action.js';
import { listCertificates } from './certificates/list-certificates.action.js';
import { renewCertificates } from './certificates/renew-certificates.action.js';
import { ControlPlaneContext } from './cluster/masters/control-plane-context.js';
import { initControlPlane } from './cluster/masters/init-control-plane.action.js';
import { joinControlPlane } from './cluster/masters/join-control-plane.action.js';
import { revokeJoinTokens } from './cluster/masters/revoke-join-tokens.action.js';
import type { ClusterStepInput, NodeStepInput } from './cluster/node-input.js';
import { checkMoving } from './cluster/nodes/check-moving.action.js';
import { cordonNode } from './cluster/nodes/cordon-node.action.js';
import { drainNode } from './cluster/nodes/drain-node.action.js';
import { joinWorker } from './cluster/nodes/join-worker.action.js';
import { labelNode } from './cluster/nodes/label-node.action.js';
import { nameNodes } from './cluster/nodes/name-nodes.action.js';
import { readClusterVersion } from './cluster/nodes/read-cluster-version.action.js';
import { readdressNode } from './cluster/nodes/readdress-node.action.js';
import { removeNode } from './cluster/nodes/remove-node.action.js';
import { updatePeers } from './cluster/nodes/update-peers.action.js';
import { removeProbes } from './cluster/verify/remove-probes.action.js';
import { verifyCluster } from './cluster/verify/verify-cluster.action.js';
import { checkVimUnused } from './cluster/vim/check-vim-unused.action.js';
import { createAdminAccount } from './cluster/vim/create-admin-account.action.js';
import { deregisterVim } from './cluster/vim/deregister-vim.action.js';
import { registerVim } from './cluster/vim/register-vim.action.js';
import type { VimContext } from './cluster/vim/vim-context.js';
import { checkQuorum } from './etcd/check-quorum.action.js';
import { EtcdContext, NodeBesideEtcdContext, type EtcdStepInput } from './etcd/etcd-context.js';
import { leaveEtcd } from './etcd/leave-etcd.action.js';
import { removeDeadMembers } from './etcd/remove-dead-members.action.js';
import { ExternalLbContext } from './external-lb/external-lb-context.js';
import type { ExternalLbInput } from './external-lb/external-lb-input.js';
import { installExternalLb } from './external-lb/install-external-lb.action.js';
import { noteExposedPorts } from './external-lb/note-exposed-ports.action.js';
import { restoreNodePorts } from './external-lb/restore-node-ports.action.js';
import { routeExternalLb } from './external-lb/route-external-lb.action.js';
import { runExternalLbScript } from './external-lb/run-external-lb-script.action.js';
import { verifyExternalLb } from './external-lb/verify-external-lb.action.js';
import { AnsibleContext, PlaybookContext, PreparationContext } from './kubespray/ansible-context.js';
import type { AnsibleStepInput, PlaybookStepInput } from './kubespray/ansible-input.js';
import { checkAnsible } from './kubespray/check-ansible.action.js';
import { prepareInventory } from './kubespray/prepare-inventory.action.js';
import { removeInventory } from './kubespray/remove-inventory.action.js';
import { removeWorkers } from './kubespray/remove-workers.action.js';
import { runPlaybook } from './kubespray/run-playbook.action.js';
import { writeInventory } from './kubespray/write-inventory.action.js';
import { installNetworkManifests, NetworkContext } from './network/install-network-manifests.action.js';
import { installNetwork } from './network/install-network.action.js';
import { checkNodePorts } from './node-ports/check-node-ports.action.js';
import { closeNodePorts } from './node-ports/close-node-ports.action.js';
import { exposeNodePorts } from './node-ports/expose-node-ports.action.js';
import { NodePortsContext, type NodePortsInput } from './node-ports/node-ports-context.js';
import { inspectNodes } from './node/inspect-nodes.action.js';
import { installKubernetes } from './node/install-kubernetes.action.js';
import { installRuntime } from './node/install-runtime.action.js';
import { ClusterContext, NodeContext } from './node/node-context.js';
import { prepareNode } from './node/prepare-node.action.js';
import { runInstallScript, ScriptContext } from './packaged-script/run-install-script.action.js';
import type { K8sMgmtSettings } from './settings/settings.js';
import { fetchSnapshot } from './snapshots/fetch-snapshot.action.js';
import { keepSnapshot, SnapshotContext } from './snapshots/keep-snapshot.action.js';
import { reconnectNode } from './snapshots/reconnect-node.action.js';
import { RestorationContext } from './snapshots/restoration-context.js';
import { restoreControlPlane } from './snapshots/restore-control-plane.action.js';

/** What actions work with: machines, VIMs, packages, and what the operator of the service decides. */
type Ports = DriverPorts & Pick<K8sMgmtSettings, 'calicoManifest'>;

const onNode = <Input extends NodeStepInput, Output>(action: Action<NodeContext<Input>, Input, Output>) =>
  serviceAction(action, (run, { hosts }: Ports) => new NodeContext<Input>(run, hosts));

const onCluster = <Input extends ClusterStepInput, Output>(action: Action<ClusterContext<Input>, Input, Output>) =>
  serviceAction(action, (run, { hosts }: Ports) => new ClusterContext<Input>(run, hosts));

const onMasters = <Output>(action: Action<MastersContext, MastersStepInput, Output>) =>
  serviceAction(action, (run, { hosts }: Ports) => new MastersContext(run, hosts));

const onEtcd = <Input extends EtcdStepInput, Output>(action: Action<EtcdContext<Input>, Input, Output>) =>
  serviceAction(action, (run, { hosts }: Ports) => new EtcdContext<Input>(run, hosts));

const onVim = <Input, Output>(action: Action<VimContext<Input>, Input, Output>) =>
  serviceAction(action, (run, { vims }: Ports) => ({ run, vims }));

const onBalancer = <Input extends ExternalLbInput, Output>(action: Action<ExternalLbContext<Input>, Input, Output>) =>
  serviceAction(action, (run, ports: Ports) => new ExternalLbContext<Input>(run, ports));

const onAnsibleServer = <Input extends AnsibleStepInput, Output>(action: Action<AnsibleContext<Input>, Input, Output>) =>
  serviceAction(action, (run, { hosts }: Ports) => new AnsibleContext<Input>(run, hosts));

const byPlaybook = <Input extends PlaybookStepInput & { masters?: MasterInput[] }, Output>(
  action: Action<PlaybookContext<Input>, Input, Output>,
) => serviceAction(action, (run, { hosts }: Ports) => new PlaybookContext<Input>(run, hosts));

const onNodePorts = <Input extends NodePortsInput, Output>(action: Action<NodePortsContext<Input>, Input, Output>) =>
  serviceAction(action, (run, ports: Ports) => new NodePortsContext<Input>(run, ports));

/** Every action of the service, each once: each of its drivers describes them all, and its workers run them all. */
export const ACTIONS: readonly ServiceAction<Ports>[] = [
  onNode(inspectNodes),
  onNode(prepareNode),
  onNode(installRuntime),
  onNode(installKubernetes),
  onNode(initControlPlane),
  onCluster(installNetwork),
  serviceAction(
    installNetworkManifests,
    (run, { hosts, packages, calicoManifest: calico }: Ports) => new NetworkContext(run, hosts, { packages, calico }),
  ),
  onNode(joinWorker),
  onNode(labelNode),
  onCluster(nameNodes),
  onCluster(readClusterVersion),
  onCluster(cordonNode),
  onCluster(drainNode),
  onNode(removeNode),
  onNode(updatePeers),
  onCluster(verifyCluster),
  onCluster(removeProbes),
  onCluster(revokeJoinTokens),
  onCluster(createAdminAccount),
  serviceAction(runInstallScript, (run, ports: Ports) => new ScriptContext(run, ports)),
  onNode(configureLoadBalancer),
  onNode(changeLoadBalancer),
  serviceAction(leaveLoadBalancer, (run, { hosts }: Ports) => new NodeBesideEtcdContext<NodeStepInput>(run, hosts)),
  onNode(verifyLoadBalancer),
  onNode(changeBackEnds),
  onCluster(checkMoving),
  onNode(readdressNode),
  onVim(registerVim),
  onVim(checkVimUnused),
  onVim(deregisterVim),
  onEtcd(checkQuorum),
  onEtcd(removeDeadMembers),
  onEtcd(leaveEtcd),
  serviceAction(keepSnapshot, (run, ports: Ports) => new SnapshotContext(run, ports)),
  serviceAction(fetchSnapshot, (run, ports: Ports) => new RestorationContext(run, ports)),
  onNode(restoreControlPlane),
  onNode(reconnectNode),
  onMasters(checkCertificates),
  onMasters(listCertificates),
  onMasters(checkRenewal),
  onMasters(renewCertificates),
  serviceAction(joinControlPlane, (run, { hosts }: Ports) => new ControlPlaneContext(run, hosts)),
  onBalancer(installExternalLb),
  onBalancer(runExternalLbScript),
  onBalancer(routeExternalLb),
  onBalancer(noteExposedPorts),
  onBalancer(restoreNodePorts),
  onBalancer(verifyExternalLb),
  onAnsibleServer(checkAnsible),
  serviceAction(prepareInventory, (run, { hosts }: Ports) => new PreparationContext(run, hosts)),
  onAnsibleServer(writeInventory),
  byPlaybook(runPlaybook),
  byPlaybook(removeWorkers),
  onAnsibleServer(removeInventory),
  onNodePorts(checkNodePorts),
  onNodePorts(exposeNodePorts),
  onNodePorts(closeNodePorts),
];

/** Every action of the service, bound to its ports. */
export const boundActions = (ports: DriverPorts, { calicoManifest }: Pick<K8sMgmtSettings, 'calicoManifest'>): BoundAction[] =>
  boundTo(ACTIONS, { ...ports, calicoManifest });
