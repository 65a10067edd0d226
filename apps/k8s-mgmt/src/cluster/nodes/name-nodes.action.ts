import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { ClusterStepInput, NamedNode } from '../node-input.js';
import { namedNodes, type Nameless } from '../node-names.js';

export interface NameNodesInput extends ClusterStepInput {
  /**
   * All nodes that the cluster is to have, in the plan's order. `earlier` is the address by which the cluster still knows a node whose address has
   * changed.
   */
  nodes: (Nameless & { earlier?: string })[];
}

export interface NameNodesOutput {
  /** In the same order. */
  nodes: NamedNode[];
}

/** Asks the cluster what its nodes are called, by their addresses, and names those that it does not list yet. */
export const nameNodes = implementAction(declared<NameNodesInput, NameNodesOutput>('name-nodes'), {
  apply: async ({ cluster, input, run }: ClusterContext<NameNodesInput>) => {
    const listed = await cluster.listedNodes();
    const named = new Map(listed.flatMap(({ name, addresses }) => addresses.map((address) => [address, name] as const)));
    // A moved node's earlier address overrides its new one: another node may have had the new address.
    const moved = input.nodes.flatMap(({ address, earlier }) => {
      const name = earlier === undefined ? undefined : named.get(earlier);
      return name === undefined ? [] : [[address, name] as const];
    });
    const wanted = input.nodes.map(({ role, address }) => ({ role, address }));
    const nodes = namedNodes(wanted, new Map([...named, ...moved]));
    run.progress(`${nodes.length} nodes: ${nodes.map(({ name }) => name).join(', ')}`);
    return { nodes };
  },
  retry: { attempts: 8, backoff: seconds(5), growth: 1.5 },
});
