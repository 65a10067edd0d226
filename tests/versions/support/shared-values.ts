import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@windlass/foundation';

/** Values that many records share, by the hash of their content. Longer values within a part are parts, too. */
export type Parts = Record<string, Json>;

/** A value is a part from this length of its JSON on, in characters. */
const PART_FROM = 300;
/** The name of a reference's one field, which no journal uses. */
const PART = '$part';

/** The value with references in the place of parts, which are added to `parts`. */
export function pack(value: Json, parts: Parts): Json {
  const text = JSON.stringify(value);
  if (text.length < PART_FROM) return value;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  parts[hash] ??= packFields(value, parts);
  return { [PART]: hash };
}

/** The value itself, with references in its fields or elements. */
export function packFields(value: Json, parts: Parts): Json {
  if (Array.isArray(value)) return value.map((one) => pack(one, parts));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, pack(one as Json, parts)]));
}

/** The value that {@link pack} was given. @throws Error for a reference to a part that is not there */
export function unpack(value: Json, parts: Parts): Json {
  if (Array.isArray(value)) return value.map((one) => unpack(one, parts));
  if (value === null || typeof value !== 'object') return value;
  const hash = (value as JsonObject)[PART];
  if (typeof hash === 'string') {
    const part = parts[hash];
    if (part === undefined) throw new Error(`no part ${hash} among the recorded journals`);
    return unpack(part, parts);
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unpack(one as Json, parts)]));
}

/** JSON with a line for each element or field, down to a depth. */
export function lines(value: Json, depth = 2): string {
  if (depth === 0 || value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[\n${value.map((one) => JSON.stringify(one)).join(',\n')}\n]`;
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${lines(one as Json, depth - 1)}`);
  return `{\n${fields.join(',\n')}\n}`;
}
