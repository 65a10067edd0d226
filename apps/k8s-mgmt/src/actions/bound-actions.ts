import { Secret } from '@windlass/foundation';
import type { DriverPorts, PackageFiles } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction, type StepRun } from '@windlass/saga';
import { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import { vimActions } from '../vim/vim-actions.js';
import { createAdminAccount } from './create-admin-account.action.js';
import { initControlPlane } from './init-control-plane.action.js';
import { installKubernetes } from './install-kubernetes.action.js';
import { installNetwork } from './install-network.action.js';
import { installRuntime } from './install-runtime.action.js';
import { joinWorker } from './join-worker.action.js';
import { prepareNode } from './prepare-node.action.js';
import { revokeJoinTokens } from './revoke-join-tokens.action.js';
import { runInstallScript, type RunInstallScriptInput } from './run-install-script.action.js';
import { verifyCluster } from './verify-cluster.action.js';

/** With what a packaged script is made of. */
class ScriptRunContext extends NodeContext<RunInstallScriptInput> {
  constructor(run: StepRun, { hosts, packages }: DriverPorts) {
    super(run, hosts);
    this.packages = packages;
  }

  readonly packages: PackageFiles;

  protected override get secrets(): readonly Secret[] {
    return [...super.secrets, ...(this.input.join === undefined ? [] : [new Secret(this.input.join.token)])];
  }
}

const onNodes = [prepareNode, installRuntime, installNetwork, joinWorker, verifyCluster, revokeJoinTokens, createAdminAccount];
const withKubernetes = [installKubernetes, initControlPlane];

/** Every action of the service, for its description. */
export const k8sActions: readonly Pick<Action<never>, 'name' | 'version'>[] = [
  ...onNodes,
  ...withKubernetes,
  runInstallScript,
  ...vimActions,
];

/** Every action of the service, bound to its ports. */
export function boundActions(ports: DriverPorts): BoundAction[] {
  const bind = <Input extends NodeStepInput>(actions: readonly Action<NodeContext<Input>>[]): BoundAction[] =>
    bindActions(actions, (run, work) => work(new NodeContext<Input>(run, ports.hosts)));
  return [
    ...bind(onNodes),
    ...bind(withKubernetes),
    ...bindActions([runInstallScript], (run, work) => work(new ScriptRunContext(run, ports))),
    ...bindActions(vimActions, (run, work) => work({ run, vims: ports.vims })),
  ];
}
