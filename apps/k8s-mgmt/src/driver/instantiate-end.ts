import { packagePath } from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { outputOf, parallel, sequence, stepCalled, stepOf, type Plan, type PlanNode, type Ref } from '@windlass/saga';
import * as actions from '../actions/contracts.js';
import { DEFAULT_VERIFICATION_IMAGE } from '../cluster/probe-pods.js';
import { defaultVimName } from '../ids.js';
import type { K8sMgmtSettings } from '../settings.js';
import { checkPodRange, clusterOf, type ClusterNode } from './nodes.js';
import { ClusterSteps, nodeStepId } from './node-steps.js';
import { clusterParams } from './parameters.js';
import { chooseScript, type ScriptChoice } from './script-choice.js';

/**
 * Rolled back, an instantiation deletes its VMs, and the cluster with them. Undoing on them first would only keep a dead VM from
 * being deleted; so these steps have nothing to undo here, although their actions can be undone.
 */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** Makes a cluster of the VMs, by our actions or by the package's script, and registers it as a VIM. */
export function instantiateEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const steps = new ClusterSteps(hook, clusterOf(hook), settings);
  const params = clusterParams(hook.instantiateParams);
  const script = chooseScript(params.script_path, hook.files);
  if (script === undefined)
    throw new InvariantError(`the package has no ${params.script_path}, which was there when the request came`);
  const { master } = steps.shape;
  const install = script.kind === 'builtin' ? builtin(steps) : packaged(steps, script, hook, settings);
  const account = steps.step(actions.createAdminAccount, master, steps.on(master), GOES_WITH_THE_VM);
  return {
    common: steps.common,
    root: sequence(
      ...install,
      steps.step(
        actions.verifyCluster,
        master,
        { ...steps.on(master), image: params.verification_image ?? DEFAULT_VERIFICATION_IMAGE },
        { ...GOES_WITH_THE_VM, contributes: true },
      ),
      steps.step(actions.removeProbes, master, steps.on(master), GOES_WITH_THE_VM),
      steps.step(actions.revokeJoinTokens, master, steps.on(master), GOES_WITH_THE_VM),
      account,
      registerVim(
        hook,
        steps,
        script,
        outputOf(account, (of) => of.account),
      ),
    ),
  };
}

/** The first master's way does not wait for the workers' packages; nobody joins before it has a network. */
function builtin(steps: ClusterSteps): PlanNode[] {
  checkPodRange(steps.shape);
  const { master, workers } = steps.shape;
  const { proxy, kubernetes, runtime } = steps;
  const traits = GOES_WITH_THE_VM;
  const prepared = (node: ClusterNode): PlanNode[] => [
    steps.step(actions.prepareNode, node, { ...steps.on(node), ...proxy, ...steps.first }, traits),
    steps.step(actions.installRuntime, node, { ...steps.on(node), ...proxy, ...runtime }, traits),
    steps.step(actions.installKubernetes, node, { ...steps.on(node), ...proxy, ...kubernetes }, traits),
  ];
  return [
    steps.inspection(traits),
    parallel([
      sequence(
        ...prepared(master),
        steps.step(actions.initControlPlane, master, { ...steps.on(master), ...proxy, ...kubernetes }, traits),
        steps.step(actions.installNetwork, master, steps.on(master), traits),
      ),
      ...workers.map((node) => sequence(...prepared(node))),
    ]),
    parallel(workers.map((node) => steps.step(actions.joinWorker, node, { ...steps.on(node, master), ...proxy }, traits))),
  ];
}

/** One job a node. What the master's prints for the workers goes to them by reference, sealed in the journal. */
function packaged(
  steps: ClusterSteps,
  { file }: Extract<ScriptChoice, { kind: 'packaged' }>,
  hook: HookContext,
  settings: K8sMgmtSettings,
): PlanNode[] {
  const { master, workers } = steps.shape;
  const script = { vnfPkgId: hook.vnfPkgId, path: packagePath(file.path), size: file.size, sha256: file.sha256 };
  const more = { ...steps.proxy, ...steps.first, script, withinMs: settings.scriptWithin };
  const run = actions.runInstallScript;
  const first = steps.step(run, master, { ...steps.on(master), ...more }, GOES_WITH_THE_VM);
  const join = outputOf(first, (of) => of.join);
  const next = (node: ClusterNode) => steps.step(run, node, { ...steps.on(node, master), ...more, join }, GOES_WITH_THE_VM);
  return [first, parallel(workers.map(next))];
}

function registerVim(hook: HookContext, steps: ClusterSteps, script: ScriptChoice, account: Ref<actions.AdminAccount>): PlanNode {
  const { master, address, publicAddress } = steps.shape;
  const name = clusterParams(hook.instantiateParams).vim_name ?? defaultVimName(hook.vnfInstanceId);
  const printed = stepCalled(actions.runInstallScript, nodeStepId(actions.runInstallScript, master));
  // A packaged script says by itself where its API server is, as it is reached inside.
  const says = script.kind === 'packaged' && publicAddress === null;
  return stepOf(actions.registerVim, {
    target: name,
    traits: { contributes: true },
    input: {
      vimId: clusterVimId(hook.vnfInstanceId),
      connectionId: clusterConnectionId(hook.vnfInstanceId),
      name,
      description: `cluster of VNF instance ${hook.vnfInstanceId}`,
      authUrl: says ? outputOf(printed, (of) => of.server) : `https://${publicAddress ?? address}:6443`,
      account,
    },
  });
}
