import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, pointerToken, type Json } from '@windlass/foundation';

/** Types of JSON Schema. An `integer` is a `number` without a fraction. */
export type InputType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/**
 * What an action takes, in a part of JSON Schema 2020-12 that needs no compiler and no regular expression, since it may come from an untrusted driver.
 * Where `additionalProperties` is absent, further members are taken.
 */
export interface InputSchema {
  title?: string;
  description?: string;
  type?: InputType | InputType[];
  const?: Json;
  enum?: Json[];
  minimum?: number;
  maximum?: number;
  /** In UTF-16 code units, as JavaScript counts. */
  minLength?: number;
  maxLength?: number;
  items?: InputSchema;
  minItems?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, InputSchema>;
  additionalProperties?: boolean | InputSchema;
}

/** The first place where a value is not as its schema wants it. */
export interface SchemaMismatch {
  /** RFC 6901 pointer; the whole where it is empty. */
  path: string;
  /** What is there and what was expected: `is a string, an integer was expected`. */
  reason: string;
}

/**
 * Compares a value with a schema.
 * @param isUnknown says which parts are not known yet; they fit everywhere
 */
export function mismatchOf(
  value: Json,
  schema: InputSchema,
  isUnknown: (value: Json) => boolean = () => false,
): SchemaMismatch | undefined {
  return new Comparison(isUnknown).mismatch(value, schema, '');
}

class Comparison {
  constructor(private readonly isUnknown: (value: Json) => boolean) {}

  mismatch(value: Json, schema: InputSchema, path: string): SchemaMismatch | undefined {
    if (this.isUnknown(value)) return undefined;
    const reason = reasonAgainst(value, schema);
    if (reason !== undefined) return { path, reason };
    if (Array.isArray(value)) return this.#inItems(value, schema, path);
    return isJsonObject(value) ? this.#inMembers(value, schema, path) : undefined;
  }

  #inItems(value: readonly Json[], { items }: InputSchema, path: string): SchemaMismatch | undefined {
    if (items === undefined) return undefined;
    return firstOf(value, (item, index) => this.mismatch(item, items, `${path}/${index}`));
  }

  #inMembers(value: Record<string, Json>, schema: InputSchema, path: string): SchemaMismatch | undefined {
    return firstOf(Object.entries(value), ([key, member]) => {
      const own = schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
      const rule = own ?? schema.additionalProperties ?? true;
      const at = `${path}/${pointerToken(key)}`;
      if (rule === false) return { path: at, reason: 'is a member that is not taken' };
      return rule === true ? undefined : this.mismatch(member, rule, at);
    });
  }
}

/** Against the value itself, not against what is in it. */
function reasonAgainst(value: Json, schema: InputSchema): string | undefined {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(value, type)))
    return `is ${nameOf(value)}, ${types.join(' or ')} was expected`;
  if (schema.const !== undefined && !isDeepStrictEqual(value, schema.const))
    return `${JSON.stringify(schema.const)} was expected`;
  if (schema.enum !== undefined && !schema.enum.some((each) => isDeepStrictEqual(each, value)))
    return `one of ${JSON.stringify(schema.enum)} was expected`;
  if (typeof value === 'number') return outside(value, schema.minimum, schema.maximum, 'is');
  if (typeof value === 'string') return outside(value.length, schema.minLength, schema.maxLength, 'has a length of');
  if (Array.isArray(value)) return outside(value.length, schema.minItems, schema.maxItems, 'has a length of');
  const missing = isJsonObject(value) ? schema.required?.find((key) => !Object.hasOwn(value, key)) : undefined;
  return missing === undefined ? undefined : `lacks "${missing}"`;
}

function outside(
  size: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
  has: string,
): string | undefined {
  if (size < least) return `${has} ${size}, at least ${least} was expected`;
  return size > most ? `${has} ${size}, at most ${most} was expected` : undefined;
}

function isOf(value: Json, type: InputType): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'null' ? value === null : typeof value === type;
}

function nameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function firstOf<T>(
  list: readonly T[],
  find: (each: T, index: number) => SchemaMismatch | undefined,
): SchemaMismatch | undefined {
  for (const [index, each] of list.entries()) {
    const found = find(each, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
