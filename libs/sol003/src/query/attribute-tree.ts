import { isJsonObject, type JsonObject } from '@windlass/foundation';

/** What an attribute of a resource is, as far as filters and selectors have to know. */
export interface AttributeNode {
  /** `free`: key-value pairs of the caller's own making; anything may lie below. `map`: ids to objects. */
  readonly kind: 'leaf' | 'object' | 'map' | 'free';
  /** The JSON type of a leaf. */
  readonly type: 'string' | 'number' | 'boolean';
  readonly members: ReadonlyMap<string, AttributeNode>;
  /** Members that a reader may count on wherever this object is there. */
  readonly required: ReadonlySet<string>;
  /** The name under which the attribute is stored, where it has two. */
  readonly storedAs?: string;
}

const LEAF_TYPES: Readonly<Record<string, AttributeNode['type']>> = { integer: 'number', number: 'number', boolean: 'boolean' };

/** The attributes that a JSON Schema describes. Lists are seen through: a list of objects has the members of its elements. */
export function treeOf(schema: JsonObject): AttributeNode {
  const { items, properties, additionalProperties } = schema;
  if (isJsonObject(items)) return treeOf(items);
  const none = { members: new Map<string, AttributeNode>(), required: new Set<string>() };
  if (isJsonObject(properties)) {
    const members = Object.entries(properties).map(([name, member]): [string, AttributeNode] => [
      name,
      treeOf(isJsonObject(member) ? member : {}),
    ]);
    const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
    return { kind: 'object', type: 'string', members: new Map(members), required: new Set(required) };
  }
  if (isJsonObject(additionalProperties)) {
    return { kind: 'map', type: 'string', ...none, members: new Map([['*', treeOf(additionalProperties)]]) };
  }
  if (schema.type === 'object') return { kind: 'free', type: 'string', ...none };
  const type = typeof schema.type === 'string' ? LEAF_TYPES[schema.type] : undefined;
  return { kind: 'leaf', type: type ?? 'string', ...none };
}

/** Both trees in one; where both know an attribute, the second has the say on what it is and objects are joined. */
export function joined(first: AttributeNode, second: AttributeNode): AttributeNode {
  if (first.kind !== 'object' || second.kind !== 'object') return second;
  const members = new Map(first.members);
  for (const [name, node] of second.members) {
    const known = members.get(name);
    members.set(name, known === undefined ? node : joined(known, node));
  }
  return { ...second, members, required: new Set([...first.required, ...second.required]) };
}

/** The tree with one more name for the attribute at a path of members. */
export function withAlias(tree: AttributeNode, path: readonly string[], alias: string, storedAs: string): AttributeNode {
  const [head, ...rest] = path;
  const members = new Map(tree.members);
  if (head === undefined) {
    const node = members.get(storedAs);
    if (node !== undefined) members.set(alias, { ...node, storedAs });
  } else {
    const member = members.get(head);
    if (member !== undefined) members.set(head, withAlias(member, rest, alias, storedAs));
  }
  return { ...tree, members };
}

/** An attribute found by its path. */
export interface Found {
  readonly node: AttributeNode;
  /** The path under the names in which the attributes are stored. */
  readonly path: string[];
}

/** The node at a path of names, or the part of the path that nobody knows. */
export function find(tree: AttributeNode, path: readonly string[]): Found | { readonly unknown: string } {
  let node = tree;
  const stored: string[] = [];
  for (const [index, name] of path.entries()) {
    if (node.kind === 'free') return { node, path: [...stored, ...path.slice(index)] };
    const next = node.members.get(node.kind === 'map' ? '*' : name);
    if (next === undefined) return { unknown: path.slice(0, index + 1).join('/') };
    stored.push(next.storedAs ?? name);
    node = next;
  }
  return { node, path: stored };
}
