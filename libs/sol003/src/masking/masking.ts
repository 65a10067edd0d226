import { isJsonObject, isSecretName, MASK, masked, Secret, type Json, type JsonObject } from '@windlass/foundation';

/**
 * Places of secrets in a request's `additionalParams`, as a driver's schema declares them (`writeOnly`): names from the top,
 * `*` for every element of a list and every member of a map. See {@link secretPathsOf}.
 */
export type SecretPaths = readonly (readonly string[])[];

/** Deeper than any schema of parameters; a schema that contains itself ends here. */
const MAX_SCHEMA_DEPTH = 32;

/** The places that a JSON Schema marks `writeOnly`; `$ref`s into its own `$defs` or `definitions` are followed. */
export function secretPathsOf(schema: JsonObject): string[][] {
  return walkSchema(schema, schema, [], 0);
}

function walkSchema(root: JsonObject, schema: Json | undefined, path: string[], depth: number): string[][] {
  if (!isJsonObject(schema) || depth > MAX_SCHEMA_DEPTH) return [];
  if (schema.writeOnly === true) return [path];
  const inside = (below: Json | undefined, ...names: string[]): string[][] =>
    walkSchema(root, below, [...path, ...names], depth + 1);
  const found = isJsonObject(schema.properties)
    ? Object.entries(schema.properties).flatMap(([name, member]) => inside(member, name))
    : [];
  const alternatives = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  const branches = [...alternatives, schema.if, schema.then, schema.else].flatMap((branch) => inside(branch));
  const referred = typeof schema.$ref === 'string' ? inside(definitionOf(root, schema.$ref)) : [];
  return [...found, ...branches, ...referred, ...inside(schema.items, '*'), ...inside(schema.additionalProperties, '*')];
}

function definitionOf(root: JsonObject, reference: string): Json | undefined {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference);
  const definitions = name?.[1] === undefined ? undefined : root[name[1]];
  return isJsonObject(definitions) && name?.[2] !== undefined ? definitions[name[2]] : undefined;
}

/** The value with everything hidden but its shape. */
function hidden(value: Json): Json {
  if (Array.isArray(value)) return value.map(hidden);
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hidden(member)]));
  return value === null ? null : MASK;
}

function maskedAt(value: Json, paths: SecretPaths): Json {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return hidden(value);
  const below = (name: string): SecretPaths =>
    paths.filter(([head]) => head === name || head === '*').map((path) => path.slice(1));
  if (Array.isArray(value)) return value.map((entry, index) => maskedAt(entry, below(String(index))));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskedAt(member, below(name))]));
}

/** Secrets in a text that is itself JSON or a Python literal, such as a VIM's `extra.helm_info`. */
const QUOTED_MEMBER = /(["'])([\w-]+)\1(\s*:\s*)(["'])((?:\\.|(?!\4)[^\\])*)\4/g;

const maskQuotedMembers = (text: string): string =>
  text.replace(QUOTED_MEMBER, (whole: string, quote: string, name: string, colon: string, valueQuote: string) =>
    isSecretName(name) ? `${quote}${name}${quote}${colon}${valueQuote}${MASK}${valueQuote}` : whole,
  );

/** What the names alone give away: whole structures under a secret's name, and texts that hold members. */
function maskedByName(value: unknown): unknown {
  if (value instanceof Secret) return MASK;
  if (typeof value === 'string') return maskQuotedMembers(value);
  if (Array.isArray(value)) return value.map(maskedByName);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      const structure = typeof member === 'object' && member !== null && !(member instanceof Secret);
      return [name, isSecretName(name) && structure ? hidden(maskedByName(member) as Json) : maskedByName(member)];
    }),
  );
}

/** A deep copy with every secret masked: by name, by URL, and where `secrets` say. Keys and shape stay. */
export function maskedParams<T>(params: T, secrets: SecretPaths = []): T {
  return masked(maskedAt(maskedByName(params) as Json, secrets)) as T;
}

/** A copy of an instance that may be shown: `accessInfo`, `extra`, `additionalParams` and whatever else holds secrets is masked. */
export function maskedVnfInstance<T extends object>(instance: T, secrets: SecretPaths = []): T {
  return maskedParams(
    instance,
    secrets.map((path) => ['instantiatedVnfInfo', 'additionalParams', ...path]),
  );
}

/** A copy of an operation occurrence that may be shown: its `operationParams`, `changedInfo` and `error` are masked. */
export function maskedOpOcc<T extends object>(opOcc: T, secrets: SecretPaths = []): T {
  return maskedParams(
    opOcc,
    secrets.map((path) => ['operationParams', 'additionalParams', ...path]),
  );
}
