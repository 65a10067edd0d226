import type { NamedNode } from './node-input.js';

/** A node that is to have a name. */
export type Nameless = Omit<NamedNode, 'name'>;

/**
 * `worker24` for 10.10.0.24, the guide's form. Where another node has that name, as many more octets as it takes: `worker0-24`. Nodes that
 * have a name already keep it, so that nobody is renamed when one comes or goes.
 * @param named what the nodes are called that have a name, by address; also of nodes that are not to be named here
 */
export function namedNodes(nodes: readonly Nameless[], named: ReadonlyMap<string, string> = new Map()): NamedNode[] {
  const taken = new Set(named.values());
  return nodes.map((node) => {
    const name = named.get(node.address) ?? freeName(node, taken);
    taken.add(name);
    return { ...node, name };
  });
}

function freeName({ role, address }: Nameless, taken: ReadonlySet<string>): string {
  const octets = address.split('.');
  const candidates = [1, 2, 3, 4].map((count) => `${role}${octets.slice(-count).join('-')}`);
  // The last has the whole address: nobody else has it.
  return candidates.find((candidate) => !taken.has(candidate)) ?? `${role}${octets.join('-')}`;
}
