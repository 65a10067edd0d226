import { isJsonObject, mapMembers, RequestError, type Json } from '@windlass/foundation';
import { parseAttributePath } from './attribute-name.js';
import { find, type AttributeNode } from './attribute-tree.js';
import type { ResourceTable } from './resources.js';

/** Which attributes of its elements a list shows (SOL013 5.3). */
export type Selector =
  | { readonly show: 'all' }
  | { readonly show: 'default' }
  /** All but these. */
  | { readonly show: 'without'; readonly paths: readonly string[][] }
  /** What is mandatory, and these; with `onDefault` what a list shows by default, and these. */
  | { readonly show: 'only'; readonly paths: readonly string[][]; readonly onDefault: boolean };

/** The selector parameters as they came; `undefined` where absent. */
export interface SelectorParameters {
  all_fields?: string | undefined;
  fields?: string | undefined;
  exclude_fields?: string | undefined;
  exclude_default?: string | undefined;
}

const refuse = (path: string, reason: string): RequestError =>
  new RequestError(400, 'query.invalid-selector', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/**
 * Whether a flag is given. By the standard it has no value (SOL013 5.3.2); clients also send `true`, `yes` or `1`.
 * @throws RequestError 400 `query.invalid-selector` for another value
 */
const isSet = (name: string, value: string | undefined): boolean => {
  if (value === undefined) return false;
  if (!['', 'true', 'yes', '1'].includes(value.toLowerCase())) throw refuse(name, 'expected no value');
  return true;
};

/**
 * Reads `all_fields`, `fields=a,b/c`, `exclude_fields=a` and `exclude_default`.
 * @throws RequestError 400 `query.invalid-selector` for combinations that SOL013 5.3.2 forbids and for unknown attributes.
 */
export function parseSelector(parameters: SelectorParameters, resource: ResourceTable): Selector {
  const all = isSet('all_fields', parameters.all_fields);
  const onDefault = isSet('exclude_default', parameters.exclude_default);
  const { fields, exclude_fields: excluded } = parameters;
  const given = [all, fields !== undefined, excluded !== undefined, onDefault].filter(Boolean).length;
  if (all && given > 1) throw refuse('all_fields', 'expected no other selector beside all_fields');
  if (excluded !== undefined && given > 1) throw refuse('exclude_fields', 'expected no other selector beside exclude_fields');
  if (all) return { show: 'all' };
  if (excluded !== undefined) return { show: 'without', paths: pathsOf('exclude_fields', excluded, resource) };
  if (fields !== undefined) return { show: 'only', paths: pathsOf('fields', fields, resource), onDefault };
  return { show: 'default' };
}

function pathsOf(name: string, list: string, resource: ResourceTable): string[][] {
  return list.split(',').map((text) => {
    const attribute = parseAttributePath(text);
    if (attribute === undefined || attribute.onKeys) throw refuse(name, `expected names of attributes, parted by commas`);
    const found = find(resource.tree(), attribute.path);
    if ('unknown' in found) throw refuse(name, `${resource.name} has no attribute ${found.unknown}`);
    return found.path;
  });
}

/** The view of an object that a selector asks for. The object itself stays as it is. */
export function select<T extends object>(object: T, selector: Selector, resource: ResourceTable): Partial<T> {
  if (selector.show === 'all') return object;
  const isDefault = (name: string): boolean => !resource.excludedByDefault.includes(name);
  const isKept = (name: string): boolean => (resource.always === 'rest' ? isDefault(name) : resource.always.includes(name));
  if (selector.show === 'default')
    return mapMembers(object, (value, name) => (isDefault(name) ? value : undefined)) as Partial<T>;
  const { members } = resource.tree();
  return mapMembers(object, (value, name) =>
    show(selector, name, value as Json, { isDefault, isKept, node: members.get(name) }),
  ) as Partial<T>;
}

interface Surroundings {
  isDefault: (name: string) => boolean;
  isKept: (name: string) => boolean;
  node: AttributeNode | undefined;
}

function show(
  selector: Exclude<Selector, { show: 'all' | 'default' }>,
  name: string,
  value: Json,
  { isDefault, isKept, node }: Surroundings,
): Json | undefined {
  switch (selector.show) {
    case 'only': {
      if (isKept(name) || (selector.onDefault && isDefault(name))) return value;
      const below = belowOf(selector.paths, name);
      return below.length === 0 ? undefined : only(value, below, node);
    }
    case 'without': {
      const below = belowOf(selector.paths, name);
      if (below.length === 0) return value;
      return below.some((path) => path.length === 0) ? (isKept(name) ? value : undefined) : without(value, below, node);
    }
  }
}

/** The rests of the paths that begin with a name. */
const belowOf = (paths: readonly string[][], name: string): string[][] =>
  paths.filter(([head]) => head === name).map((path) => path.slice(1));

/** The members at the paths, and those that a reader may count on. */
function only(value: Json, paths: readonly string[][], node: AttributeNode | undefined): Json {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((entry) => only(entry, paths, node));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      const below = belowOf(paths, name);
      if (below.length > 0) return [[name, only(member, below, memberOf(node, name))]];
      return node?.required.has(name) === true ? [[name, member]] : [];
    }),
  );
}

/** All but the members at the paths; those that a reader may count on stay. */
function without(value: Json, paths: readonly string[][], node: AttributeNode | undefined): Json {
  if (Array.isArray(value)) return value.map((entry) => without(entry, paths, node));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      const below = belowOf(paths, name);
      if (below.some((path) => path.length === 0)) return node?.required.has(name) === true ? [[name, member]] : [];
      return [[name, below.length === 0 ? member : without(member, below, memberOf(node, name))]];
    }),
  );
}

const memberOf = (node: AttributeNode | undefined, name: string): AttributeNode | undefined =>
  node?.members.get(node.kind === 'map' ? '*' : name);
