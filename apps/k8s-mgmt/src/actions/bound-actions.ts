import type { Hosts } from '@windlass/mgmt-driver';
import { Secret } from '@windlass/foundation';
import { bindActions, type Action, type BoundAction, type StepRun } from '@windlass/saga';
import { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import type { PackageFiles } from '../package-files.js';
import { vimActions, type VimRegistry } from '../vim/vim-actions.js';
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

/** What the actions reach out to. */
export interface K8sPorts {
  hosts: Hosts;
  vims: VimRegistry;
  packages: PackageFiles;
}

/** With what a packaged script is made of. */
class ScriptRunContext extends NodeContext<RunInstallScriptInput> {
  constructor(run: StepRun, { hosts, packages }: K8sPorts) {
    super(run, hosts);
    this.packages = packages;
  }

  readonly packages: PackageFiles;

  protected override get moreSecrets(): Secret[] {
    return this.input.join === undefined ? [] : [new Secret(this.input.join.token)];
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
export function boundActions(ports: K8sPorts): BoundAction[] {
  const bind = <Input extends NodeStepInput>(actions: readonly Action<NodeContext<Input>>[]): BoundAction[] =>
    bindActions(actions, (run, work) => work(new NodeContext<Input>(run, ports.hosts)));
  return [
    ...bind(onNodes),
    ...bind(withKubernetes),
    ...bindActions([runInstallScript], (run, work) => work(new ScriptRunContext(run, ports))),
    ...bindActions(vimActions, (run, work) => work({ run, vims: ports.vims })),
  ];
}
