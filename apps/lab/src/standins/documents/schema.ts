import { isJsonObject, type Json } from '@windlass/foundation';
import { parseGoDuration } from '../cli/go-duration.js';

/** The shape of a configuration document, strict: what is not named is an unknown field. */
export type Schema =
  | 'string'
  | 'bool'
  | 'int'
  | 'number'
  | 'duration'
  | 'any'
  | { list: Schema }
  | { map: Schema }
  | { fields: Readonly<Record<string, Schema>> };

/** One thing that is wrong with a document, in the words of Go's strict decoder. */
export type SchemaError = string;

const NAMES: Record<string, string> = { string: 'string', bool: 'bool', int: 'int32', number: 'float64', duration: 'Duration' };

/** Everything in a document that the schema does not allow. */
export function checkSchema(value: Json, schema: Schema, path = ''): SchemaError[] {
  if (value === null || schema === 'any') return [];
  if (typeof schema === 'string') return checkScalar(value, schema, path);
  if ('list' in schema) {
    if (!Array.isArray(value)) return [mismatch(value, path, 'list')];
    return value.flatMap((entry, index) => checkSchema(entry, schema.list, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [mismatch(value, path, 'object')];
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if ('map' in schema) return Object.entries(value).flatMap(([key, entry]) => checkSchema(entry, schema.map, below(key)));
  return Object.entries(value).flatMap(([key, entry]) => {
    const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
    return field === undefined ? [`unknown field "${below(key)}"`] : checkSchema(entry, field, below(key));
  });
}

function checkScalar(value: Json, schema: Exclude<Schema, object>, path: string): SchemaError[] {
  const good =
    schema === 'string'
      ? typeof value === 'string'
      : schema === 'bool'
        ? typeof value === 'boolean'
        : schema === 'int'
          ? Number.isInteger(value)
          : schema === 'number'
            ? typeof value === 'number'
            : typeof value === 'string' && parseGoDuration(value) !== undefined;
  return good ? [] : [mismatch(value, path, NAMES[schema] ?? schema)];
}

const mismatch = (value: Json, path: string, wanted: string): SchemaError =>
  `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go struct field ${path} of type ${wanted}`;
