import type { NamedNode } from './node-input.js';

/** A node that is to have a name. */
export type Nameless = Omit<NamedNode, 'name'>;

/**
 * Names nodes in the guide's form: `worker24` for 10.10.0.24. Where another node has that name, more octets are added: `worker0-24`. Nodes that have
 * a name keep it, so that no node is renamed when others come or go.
 * @param named names of the nodes that have one, by address, also of nodes that are not to be named here
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
  // The last candidate has the whole address, which no other node has.
  return candidates.find((candidate) => !taken.has(candidate)) ?? `${role}${octets.join('-')}`;
}
