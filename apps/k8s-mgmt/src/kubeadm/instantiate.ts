import { hostInUrl, InvariantError } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { outputOf, parallel, sequence, stepCalled, stepOf, type Plan, type PlanNode, type Ref } from '@windlass/saga';
import { initControlPlane } from '../cluster/masters/init-control-plane.action.js';
import { revokeJoinTokens } from '../cluster/masters/revoke-join-tokens.action.js';
import { checkPodRange, clusterOf, nodesOf, type ClusterNode } from '../cluster/request/nodes.js';
import { removeProbes } from '../cluster/verify/remove-probes.action.js';
import { verifyCluster } from '../cluster/verify/verify-cluster.action.js';
import { createAdminAccount, type AdminAccount } from '../cluster/vim/create-admin-account.action.js';
import { registerVim } from '../cluster/vim/register-vim.action.js';
import { defaultVimName } from '../cluster/vim/vim-name.js';
import { runInstallScript } from '../packaged-script/run-install-script.action.js';
import { chooseScript, type ScriptChoice } from '../packaged-script/script-choice.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { clusterParams } from './parameters/parameters.js';
import { snapshotKept } from './snapshot.js';
import { balancer } from './steps/balanced.js';
import { keptCertificates } from './steps/kept-certificates.js';
import { inspection } from './steps/preflight.js';
import { networkInstalled, networkOfCluster } from './steps/network.js';
import { joined, joinedAsMaster, labelled, prepared } from './steps/node-chain.js';
import { ClusterSteps } from './steps/node-steps.js';
import { installedByScript } from './steps/packaged-script.js';
import { StorageSteps } from './steps/storage.js';

/**
 * A roll-back of an instantiation deletes its VMs, and the cluster with them. The steps here have no undo, although their actions have one: an undo
 * on a dead VM would only delay the deletion.
 */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** Makes a cluster of the VMs, by our actions or by the package's script, and registers it as a VIM. */
export function instantiateEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const steps = new ClusterSteps(hook, clusterOf(hook), settings);
  const script = scriptOf(hook);
  const storage = new StorageSteps(steps);
  const cluster = script.kind === 'builtin' ? builtin(steps) : installedByScript(steps, script);
  const server = storage.serverSetUp();
  const install = server.length === 0 ? cluster : [parallel([sequence(...cluster), ...server])];
  const account = steps.onCluster(createAdminAccount, {}, GOES_WITH_THE_VM);
  return {
    common: steps.common,
    root: sequence(
      ...storage.checked(nodesOf(steps.shape)),
      ...install,
      ...verified(steps, hook),
      snapshotKept(steps, steps.shape.masters),
      ...storage.registered(steps.shape.masters, nodesOf(steps.shape)),
      account,
      registered(
        hook,
        steps,
        script,
        outputOf(account, (of) => of.account),
      ),
    ),
  };
}

/** Whether our actions or a script of the package install the nodes. */
export function scriptOf({ instantiateParams, files }: HookContext): ScriptChoice {
  const { script_path: path } = clusterParams(instantiateParams);
  const script = chooseScript(path, files);
  if (script === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
  return script;
}

/**
 * The last steps of an operation: the cluster is verified, tokens with which nodes can join are revoked, and the ends of its certificates are
 * recorded.
 * @param about the nodes that the operation has brought: a dead node beside them does not fail the operation
 */
export function verified(
  steps: ClusterSteps,
  hook: HookContext,
  masters = steps.shape.masters,
  about?: readonly ClusterNode[],
): PlanNode[] {
  const image = steps.terms.verificationImage;
  const touched = about === undefined ? {} : { about: about.map(({ address }) => address) };
  const script = scriptOf(hook);
  const made = about === undefined;
  // Where the operation installed nothing, the version that nodes run is not compared.
  const installed = hook.connectivity === undefined && script.kind === 'builtin';
  const version = installed ? { version: steps.terms.version } : {};
  return [
    steps.onCluster(
      verifyCluster,
      { image, ...touched, ...networkOfCluster(hook, script), ...version },
      { ...GOES_WITH_THE_VM, contributes: true },
      masters,
    ),
    steps.onCluster(removeProbes, {}, GOES_WITH_THE_VM, masters),
    // All tokens of a cluster that a script has just made are the script's. A running cluster may have tokens of users.
    steps.onCluster(revokeJoinTokens, made && script.kind === 'packaged' ? { every: true } : {}, GOES_WITH_THE_VM, masters),
    keptCertificates(steps, steps.shape.masters),
  ];
}

/**
 * The control plane does not wait for the workers' packages, nor a worker for those of other workers. Where a network add-on is installed, no node
 * joins before it. Control planes join one at a time.
 */
function builtin(steps: ClusterSteps): PlanNode[] {
  checkPodRange(steps.shape);
  const { masters, workers } = steps.shape;
  const { proxy, kubernetes, imageRepository } = steps.terms;
  const [firstMaster, ...others] = masters as [ClusterNode, ...ClusterNode[]];
  const traits = GOES_WITH_THE_VM;
  const balanced = balancer(steps, masters);
  const begun = steps.step(
    initControlPlane,
    firstMaster,
    { ...steps.on(firstMaster), ...proxy, ...kubernetes, ...imageRepository },
    traits,
  );
  const network = networkInstalled(steps, firstMaster);
  return [
    inspection(steps, nodesOf(steps.shape), traits),
    parallel([
      sequence(
        parallel(masters.map((node) => sequence(...prepared(steps, node), ...balanced.configured(node, traits)))),
        ...balanced.verified(firstMaster, masters),
        begun,
        ...network,
        ...others.map((node) => joinedAsMaster(steps, node, masters, traits)),
      ),
      ...workers.map((node) =>
        sequence(
          ...prepared(steps, node),
          joined(steps, node, masters, traits, network.length === 0 ? [begun] : network),
          ...labelled(steps, node, masters),
        ),
      ),
    ]),
  ];
}

function registered(hook: HookContext, steps: ClusterSteps, script: ScriptChoice, account: Ref<AdminAccount>): PlanNode {
  const { masters, endpoint } = steps.shape;
  const [master] = masters as [ClusterNode];
  const { address, port, publicAddress } = endpoint;
  const name = clusterParams(hook.instantiateParams).vim_name ?? defaultVimName(hook.vnfInstanceId);
  const printed = stepCalled(runInstallScript, steps.stepId(runInstallScript, master));
  // A packaged script prints the inner address of its API server.
  const says = script.kind === 'packaged' && publicAddress === null;
  return stepOf(registerVim, {
    target: name,
    traits: { contributes: true },
    input: {
      vimId: clusterVimId(hook.vnfInstanceId),
      connectionId: clusterConnectionId(hook.vnfInstanceId),
      name,
      description: `cluster of VNF instance ${hook.vnfInstanceId}`,
      authUrl: says ? outputOf(printed, (of) => of.server) : `https://${hostInUrl(publicAddress ?? address)}:${port}`,
      account,
    },
  });
}
