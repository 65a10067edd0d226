import { mapMembers } from '@windlass/foundation';

/** Attributes that are the caller's own: what is null in there is meant so. */
const FREE = new Set([
  'accessInfo',
  'additionalParams',
  'extensions',
  'extra',
  'interfaceInfo',
  'metadata',
  'operationParams',
  'userDefinedData',
  'userMetadata',
  'vnfConfigurableProperties',
]);

/** A deep copy without members that are undefined or null: the standard's optional attributes are absent, never null. */
export function omitEmpty<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(clean);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return mapMembers(value, (member, name) => (member === null ? undefined : FREE.has(name) ? member : clean(member)));
}

/** A copy without the named members. */
export function omit<T extends object, K extends string>(object: T, names: readonly K[]): Omit<T, K> {
  return mapMembers(object, (member, name) => ((names as readonly string[]).includes(name) ? undefined : member)) as Omit<T, K>;
}
