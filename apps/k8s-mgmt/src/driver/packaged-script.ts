import { packagePath } from '@windlass/driver-kit';
import { outputOf, parallel, type PlanNode, type StepTraits } from '@windlass/saga';
import * as actions from '../actions/contracts.js';
import type { ClusterNode } from './nodes.js';
import type { ClusterSteps } from './node-steps.js';
import type { ScriptChoice } from './script-choice.js';

type Packaged = Extract<ScriptChoice, { kind: 'packaged' }>;

const GOES_WITH_THE_VM = { undoable: false } as const;

/** A cluster by the package's script, one job a node. What the master's prints for the workers goes to them by reference, sealed in the journal. */
export function installedByScript(steps: ClusterSteps, script: Packaged): PlanNode[] {
  const { masters, workers } = steps.shape;
  const [master] = masters as [ClusterNode];
  const more = inputOf(steps, script);
  const run = actions.runInstallScript;
  const first = steps.step(run, master, { ...steps.on(master), ...more }, GOES_WITH_THE_VM);
  const join = outputOf(first, (of) => of.join);
  const next = (node: ClusterNode) => steps.step(run, node, { ...steps.on(node, masters), ...more, join }, GOES_WITH_THE_VM);
  return [first, parallel(workers.map(next))];
}

/** Fresh VMs become workers of a cluster that stands, all at once, each by a token of its own. */
export const broughtByScript = (
  steps: ClusterSteps,
  script: Packaged,
  nodes: readonly ClusterNode[],
  masters: readonly ClusterNode[],
  traits: StepTraits,
): PlanNode =>
  parallel(
    nodes.map((node) =>
      steps.step(
        actions.runInstallScript,
        node,
        { ...steps.on(node, masters), ...inputOf(steps, script), ...(traits.undoable === true ? { goesWithVm: true } : {}) },
        traits,
      ),
    ),
  );

const inputOf = (steps: ClusterSteps, { file }: Packaged) => ({
  ...steps.proxy,
  ...steps.first,
  ...steps.scriptTerms,
  script: { vnfPkgId: steps.vnfPkgId, path: packagePath(file.path), size: file.size, sha256: file.sha256 },
});
