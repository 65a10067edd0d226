/** Anything that survives `JSON.parse(JSON.stringify(x))` unchanged. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * Holds a type to JSON, as a bound: `T extends Jsonable<T>`. It takes interfaces, which {@link JsonObject} does not, and refuses what JSON does not
 * keep: a function, a `Date`, `undefined` as a value.
 */
export type Jsonable<T> = { [K in keyof T]: JsonMember<T[K]> };
type JsonMember<T> = T extends Json
  ? T
  : T extends ((...args: never[]) => unknown) | symbol | bigint | undefined
    ? never
    : T extends object
      ? Jsonable<T>
      : never;

/** A value whose type is all JSON, as JSON. It is the same value, no copy: the compiler has refused what JSON would not keep. */
export const toJson = <T extends Jsonable<T> & (object | null | boolean | number | string)>(value: T): Json => value as Json;

/** As {@link toJson}, of an object. */
export const toJsonObject = <T extends Jsonable<T> & object>(value: T): JsonObject => value as JsonObject;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at an RFC 6901 pointer, or undefined where nothing lies. The empty pointer is the whole document. */
export function atPointer(document: Json | undefined, pointer: string): Json | undefined {
  if (pointer === '') return document;
  let here: Json | undefined = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(here)) here = /^\d+$/.test(key) ? here[Number(key)] : undefined;
    else if (isJsonObject(here)) here = Object.hasOwn(here, key) ? here[key] : undefined;
    else return undefined;
  }
  return here;
}

/** One token of an RFC 6901 pointer, escaped. */
export const pointerToken = (key: string | number): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

/** RFC 7396 merge patch: null deletes a member. Returns a new document. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') continue;
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
