import { stepOf, type Step, type StepTraits } from '@windlass/saga';
import { checkCertificates } from '../../certificates/check-certificates.action.js';
import type { Noted } from '../../cluster/action.js';
import { readClusterVersion } from '../../cluster/nodes/read-cluster-version.action.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import { inspectNodes } from '../../node/inspect-nodes.action.js';
import type { ClusterSteps } from './node-steps.js';
import { sourcesOf } from './node-terms.js';

// What is looked at before anything is changed.

/** Looks at nodes before anything is changed on them. The step talks to the nodes themselves, and no other step runs on any of them meanwhile. */
export function inspection(steps: ClusterSteps, nodes: readonly ClusterNode[], traits: StepTraits): Step {
  const [first] = nodes as [ClusterNode];
  return stepOf(inspectNodes, {
    id: inspectNodes.name,
    target: `${nodes.length} nodes`,
    limits: nodes.map(({ vnfc }) => `host:${vnfc.resourceId}`),
    traits,
    input: {
      ...steps.on(first),
      ...steps.terms.first,
      nodes: nodes.map((node) => steps.node(node)),
      clockDifferenceMs: steps.settings.clockDifference,
    },
  });
}

/** Looks whether certificates have run out, before anything else is asked of the cluster. */
export function certificates(steps: ClusterSteps, masters: readonly ClusterNode[]): Step<Noted | undefined> {
  const input = { instance: steps.instance, masters: steps.masters(masters) };
  const traits = { undoable: false, contributes: true };
  return stepOf(checkCertificates, { target: steps.shape.endpoint.address, traits, input });
}

/** Asks the running cluster which version new nodes need: before their first step, and before a node leaves that they replace. */
export function readsVersion(steps: ClusterSteps, masters: readonly ClusterNode[]): Step {
  return stepOf(readClusterVersion, {
    target: steps.shape.endpoint.address,
    traits: { undoable: false, contributes: true },
    input: {
      ...steps.asking(masters),
      cluster: steps.planned,
      sources: sourcesOf(steps.settings),
    },
  });
}
