import { packagePath } from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { outputOf, parallel, sequence, type Plan, type PlanNode } from '@windlass/saga';
import { defaultVimName } from '../ids.js';
import type { K8sMgmtSettings } from '../settings.js';
import { clusterOf, type ClusterNode } from './nodes.js';
import { ClusterSteps, K8S_SERVICE } from './node-steps.js';
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
  const script = chooseScript(params.script_path, hook.files, settings.outdatedScripts);
  if (script === undefined)
    throw new InvariantError(`the package has no ${params.script_path}, which was there when the request came`);
  const { master } = steps.shape;
  const install = script.kind === 'builtin' ? builtin(steps) : packaged(steps, script, hook, settings);
  const traits = GOES_WITH_THE_VM;
  return {
    common: steps.common,
    root: sequence(
      ...install,
      steps.step({ action: 'verify-cluster', node: master, traits }),
      steps.step({ action: 'revoke-join-tokens', node: master, traits }),
      steps.step({ action: 'create-admin-account', node: master, traits }),
      registerVim(hook, steps, script),
    ),
  };
}

/** The first master's way does not wait for the workers' packages; nobody joins before it has a network. */
function builtin(steps: ClusterSteps): PlanNode[] {
  const { master, workers } = steps.shape;
  const traits = GOES_WITH_THE_VM;
  const { proxy, kubernetes } = steps;
  const prepared = (node: ClusterNode): PlanNode[] => [
    steps.step({ action: 'prepare-node', node, more: proxy, traits }),
    steps.step({ action: 'install-runtime', node, more: proxy, traits }),
    steps.step({ action: 'install-kubernetes', node, more: { ...proxy, ...kubernetes }, traits }),
  ];
  return [
    parallel([
      sequence(
        ...prepared(master),
        steps.step({ action: 'init-control-plane', node: master, more: { ...proxy, ...kubernetes }, traits }),
        steps.step({ action: 'install-network', node: master, traits }),
      ),
      ...workers.map((node) => sequence(...prepared(node))),
    ]),
    parallel(workers.map((node) => steps.step({ action: 'join-worker', node, master, more: proxy, traits }))),
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
  const more = { ...steps.proxy, script, withinMs: settings.scriptWithin };
  const traits = GOES_WITH_THE_VM;
  const first = steps.step({ action: 'run-install-script', node: master, more, traits });
  return [
    first,
    parallel(
      workers.map((node) =>
        steps.step({ action: 'run-install-script', node, master, more: { ...more, join: outputOf(first.id, '/join') }, traits }),
      ),
    ),
  ];
}

function registerVim(hook: HookContext, steps: ClusterSteps, script: ScriptChoice): PlanNode {
  const { master, address, publicAddress } = steps.shape;
  const { vim_name: name } = clusterParams(hook.instantiateParams);
  // A packaged script says by itself where its API server is, as it is reached inside.
  const says = script.kind === 'packaged' && publicAddress === null;
  return {
    kind: 'step',
    id: 'register-vim',
    action: 'register-vim',
    version: 1,
    service: K8S_SERVICE,
    target: name ?? defaultVimName(hook.vnfInstanceId),
    traits: { contributes: true },
    input: {
      vimId: clusterVimId(hook.vnfInstanceId),
      connectionId: clusterConnectionId(hook.vnfInstanceId),
      name: name ?? defaultVimName(hook.vnfInstanceId),
      description: `cluster of VNF instance ${hook.vnfInstanceId}`,
      authUrl: says ? outputOf(`run-install-script:${master.name}`, '/server') : `https://${publicAddress ?? address}:6443`,
      account: outputOf(`create-admin-account:${master.name}`, '/account'),
    },
  };
}
