import { packagePath } from '@windlass/driver-kit';
import { outputOf, parallel, sequence, serial, type PlanNode, type StepTraits } from '@windlass/saga';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import { runInstallScript } from '../../packaged-script/run-install-script.action.js';
import type { ScriptChoice } from '../../packaged-script/script-choice.js';
import { connected } from './connected-registries.js';
import { labelled } from './node-chain.js';
import type { ClusterSteps } from './node-steps.js';
import { StorageSteps } from './storage.js';

type Packaged = Extract<ScriptChoice, { kind: 'packaged' }>;

const GOES_WITH_THE_VM = { undoable: false } as const;

/**
 * Installs a cluster by the package's script, one job a node: the first master, the other masters one after another, then the workers. The workers'
 * steps refer to what the first master's script prints, which is sealed in the journal.
 */
export function installedByScript(steps: ClusterSteps, script: Packaged): PlanNode[] {
  const { masters, workers } = steps.shape;
  const [master, ...others] = masters as [ClusterNode, ...ClusterNode[]];
  const more = inputOf(steps, script);
  const run = runInstallScript;
  const first = steps.step(run, master, { ...steps.on(master), ...more }, GOES_WITH_THE_VM);
  const join = outputOf(first, (of) => of.join);
  const next = (node: ClusterNode) =>
    sequence(
      steps.step(run, node, { ...steps.on(node, masters), ...more, join }, GOES_WITH_THE_VM),
      ...equipped(steps, node, masters),
    );
  const further = (node: ClusterNode, n: number) =>
    sequence(
      // Asks the nodes that are masters by then.
      steps.step(run, node, { ...steps.on(node, masters.slice(0, n + 1)), ...more, joinsMasters: true }, GOES_WITH_THE_VM),
      ...equipped(steps, node, masters),
    );
  return [
    first,
    ...equipped(steps, master, masters),
    ...(others.length === 0 ? [] : [serial(others.map(further))]),
    parallel(workers.map(next)),
  ];
}

/** Makes fresh VMs nodes of a running cluster, each with a token of its own: masters one after another, workers all at once. */
export function broughtByScript(
  steps: ClusterSteps,
  script: Packaged,
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  traits: StepTraits,
): PlanNode {
  const more = { ...inputOf(steps, script), ...(traits.undoable === true ? { goesWithVm: true } : {}) };
  const brought = (node: ClusterNode) =>
    sequence(
      steps.step(
        runInstallScript,
        node,
        { ...steps.on(node, masters), ...more, ...(node.role === 'master' ? { joinsMasters: true } : {}) },
        traits,
      ),
      ...equipped(steps, node, masters),
    );
  const of = (role: ClusterNode['role']): PlanNode[] => nodes.filter((node) => node.role === role).map(brought);
  return parallel([serial(of('master')), ...of('worker')]);
}

/** A node's further steps. They follow the script, because it installs the container runtime that registries are connected to. */
const equipped = (steps: ClusterSteps, node: ClusterNode, masters: readonly ClusterNode[]): PlanNode[] => [
  ...connected(steps, node),
  ...new StorageSteps(steps).clients([node]),
  ...labelled(steps, node, masters),
];

const inputOf = (steps: ClusterSteps, { file }: Packaged) => ({
  ...steps.terms.proxy,
  ...steps.terms.first,
  ...steps.terms.scriptTerms,
  script: { vnfPkgId: steps.hook.vnfPkgId, path: packagePath(file.path), size: file.size, sha256: file.sha256 },
});
