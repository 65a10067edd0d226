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
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined && member !== null)
      .map(([key, member]) => [key, FREE.has(key) ? member : clean(member)]),
  );
}

/** A copy without the named members. */
export function omit<T extends object, K extends string>(object: T, names: readonly K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !(names as readonly string[]).includes(name))) as Omit<
    T,
    K
  >;
}
