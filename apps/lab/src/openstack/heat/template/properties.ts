import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { pythonJson, pythonRepr, pythonStr } from '../../http/python-json.js';
import { holdsUnknown } from './function-parts.js';
import { propertyError } from './heat-errors.js';

/** What a property may name, which Heat looks up and turns into an id. */
export type Constraint =
  | 'flavor'
  | 'image'
  | 'network'
  | 'subnet'
  | 'port'
  | 'volume'
  | 'keypair'
  | 'server'
  | 'security_group'
  | 'ip_addr'
  | 'mac_addr'
  | 'net_cidr';

/** What a property must be. */
export interface PropertySchema {
  kind: 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'map' | 'any';
  required?: true;
  /** A change is made in place; without it, a change replaces the resource. */
  update?: true;
  /** Schema of a list's entries. */
  items?: PropertySchema;
  /** Schemas of a map's members; a map without has any members. */
  members?: Record<string, PropertySchema>;
  constraint?: Constraint;
  allowed?: readonly string[];
  min?: number;
  max?: number;
}

type Options = Omit<PropertySchema, 'kind' | 'items' | 'members'>;
export const text = (options: Options = {}): PropertySchema => ({ kind: 'string', ...options });
export const whole = (options: Options = {}): PropertySchema => ({ kind: 'integer', ...options });
export const flag = (options: Options = {}): PropertySchema => ({ kind: 'boolean', ...options });
export const anything = (options: Options = {}): PropertySchema => ({ kind: 'any', ...options });
export const list = (items: PropertySchema, options: Options = {}): PropertySchema => ({ kind: 'list', items, ...options });
export const map = (members?: Record<string, PropertySchema>, options: Options = {}): PropertySchema => ({
  kind: 'map',
  ...(members === undefined ? {} : { members }),
  ...options,
});

/** Finds what a constraint names: the id, or in what words it is missing. */
export type Lookup = (constraint: Constraint, value: string) => { id: string } | { problem: string };

export interface CheckOptions {
  /** Absent: names are not looked up. */
  lookup?: Lookup;
  /** Whether required properties must be there already. */
  required: boolean;
}

/**
 * Checks properties and converts them to their kinds, names to ids.
 * @param path of the properties, such as `resources.VDU1.properties`.
 * @throws HttpFailure 400 in Heat's words.
 */
export function checkProperties(
  schemas: Record<string, PropertySchema>,
  given: JsonObject,
  path: string,
  options: CheckOptions,
): JsonObject {
  for (const name of Object.keys(given)) {
    if (schemas[name] === undefined) throw propertyError(path, `Unknown Property ${name}`);
  }
  const checked: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const value = given[name];
    if (value !== undefined && value !== null) checked[name] = checkValue(schema, value, `${path}.${name}`, options);
  }
  const missing = Object.entries(schemas).find(([name, schema]) => schema.required === true && checked[name] === undefined);
  if (missing !== undefined && options.required) throw propertyError(path, `Property ${missing[0]} not assigned`);
  return checked;
}

function checkValue(schema: PropertySchema, value: Json, path: string, options: CheckOptions): Json {
  if (typeof value === 'string' && holdsUnknown(value)) return value;
  switch (schema.kind) {
    case 'list':
      return checkList(schema, value, path, options);
    case 'map':
      return checkMap(schema, value, path, options);
    case 'string':
      return checkText(schema, value, path, options);
    case 'integer':
    case 'number':
      return checkNumber(schema, value, path);
    case 'boolean':
      return checkBoolean(value, path);
    case 'any':
      return value;
  }
}

function checkList(schema: PropertySchema, value: Json, path: string, options: CheckOptions): Json {
  if (!Array.isArray(value)) throw propertyError(path, `"${pythonRepr(value)}" is not a list`);
  checkAllowedItems(schema, value, path);
  const items = schema.items;
  return items === undefined ? value : value.map((entry, index) => checkValue(items, entry, `${path}[${index}]`, options));
}

/** A list whose entries must be of a set is refused as a whole. */
function checkAllowedItems(schema: PropertySchema, value: Json[], path: string): void {
  const { allowed } = schema;
  if (allowed === undefined || value.every((entry) => allowed.includes(pythonStr(entry)))) return;
  throw propertyError(path, `${pythonJson(value)} is not an allowed value ${pythonJson([...allowed])}`);
}

function checkMap(schema: PropertySchema, value: Json, path: string, options: CheckOptions): Json {
  if (!isJsonObject(value)) throw propertyError(path, `"${pythonStr(value)}" is not a map`);
  return schema.members === undefined ? value : checkProperties(schema.members, value, path, options);
}

function checkText(schema: PropertySchema, value: Json, path: string, options: CheckOptions): Json {
  if (typeof value === 'object') throw propertyError(path, `Value must be a string; got ${pythonRepr(value)}`);
  const found = pythonStr(value);
  if (schema.allowed !== undefined && !schema.allowed.includes(found)) {
    throw propertyError(path, `"${found}" is not an allowed value ${pythonJson([...schema.allowed])}`);
  }
  if (schema.constraint === undefined || options.lookup === undefined) return found;
  const named = options.lookup(schema.constraint, found);
  if ('problem' in named) throw propertyError(path, `Error validating value '${found}': ${named.problem}`);
  return named.id;
}

function checkNumber(schema: PropertySchema, value: Json, path: string): Json {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const fits = typeof number === 'number' && !Number.isNaN(number) && (schema.kind === 'number' || Number.isInteger(number));
  if (!fits)
    throw propertyError(path, `Value '${pythonStr(value)}' is not ${schema.kind === 'integer' ? 'an integer' : 'a number'}`);
  const [min, max] = [schema.min ?? Number.NEGATIVE_INFINITY, schema.max ?? Number.POSITIVE_INFINITY];
  if (number < min || number > max) {
    throw propertyError(path, `${number} is out of range (min: ${schema.min ?? 'None'}, max: ${schema.max ?? 'None'})`);
  }
  return number;
}

function checkBoolean(value: Json, path: string): Json {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'True') return true;
  if (value === 'false' || value === 'False') return false;
  throw propertyError(path, `"${pythonStr(value)}" is not a valid boolean`);
}

/** Names of the properties that differ. */
export function changedProperties(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => canonical(before[name]) !== canonical(after[name]));
}

/** JSON with members in order of their names, so that equal values are equal texts. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}
