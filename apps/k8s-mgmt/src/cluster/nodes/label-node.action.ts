import { seconds, TransientError } from '@windlass/foundation';
import { implementAction, present } from '@windlass/saga';
import type { NodeContext } from '../../node/node-context.js';
import { declared, type Noted } from '../action.js';
import type { NodeStepInput } from '../node-input.js';
import { placementLabels, withoutLabel } from './placement-labels.js';

/** Labels a worker with the place of its VM: compute host and zone. The undo of the join removes the labels together with the node. */
export const labelNode = implementAction(declared<NodeStepInput, Noted | undefined>('label-node'), {
  check: async (context: NodeContext<NodeStepInput>) => {
    const labels = (await nodeOf(context))?.labels ?? {};
    const isLabelled = Object.entries(placementLabels(context.node.vnfc)).every(([key, value]) => labels[key] === value);
    return isLabelled ? present(notesOf(context)) : false;
  },
  apply: async (context) => {
    const node = await nodeOf(context);
    if (node === undefined)
      throw new TransientError('cluster.no-node', `the cluster lists no node with the address ${context.node.address} yet`);
    const labels = placementLabels(context.node.vnfc);
    if (Object.keys(labels).length > 0) await context.cluster.label(node.name, labels);
    return notesOf(context);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

function notesOf({ node }: NodeContext<NodeStepInput>): Noted | undefined {
  const notes = withoutLabel(node.name, node.vnfc);
  return notes.length === 0 ? undefined : { notes };
}

/** The node that the cluster lists with this address: a packaged script may have given it a different name. */
const nodeOf = async ({ cluster, node }: NodeContext<NodeStepInput>) =>
  (await cluster.nodes())?.find(({ addresses }) => addresses.includes(node.address));
