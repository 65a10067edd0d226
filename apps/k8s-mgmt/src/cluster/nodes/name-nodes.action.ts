import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { namedNodes } from '../node-names.js';
import type { ClusterContext } from '../../node/node-context.js';
import { nameNodes, type NameNodesInput } from '../contracts.js';

/** Asks the cluster what its nodes are called, by their addresses, and names those that it does not list yet. */
export const nameNodesWork = implementAction(nameNodes, {
  apply: async ({ cluster, input, run }: ClusterContext<NameNodesInput>) => {
    const listed = await cluster.listedNodes();
    const named = new Map(listed.flatMap(({ name, addresses }) => addresses.map((address) => [address, name] as const)));
    // Before its new address: that may have been another's.
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
