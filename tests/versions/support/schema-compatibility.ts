import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/**
 * The places where a message's JSON Schema accepts less than the schema of the release before, which runs beside it during an upgrade: a member that is newly required
 * or no longer known; a type, a value or a form that is no longer accepted. To accept more is allowed: the next release may send it.
 * @returns a line each, with its place in the schema
 */
export function takesLess(older: Json, newer: Json, place = ''): string[] {
  if (Array.isArray(older) || Array.isArray(newer) || !isJsonObject(older) || !isJsonObject(newer)) return [];
  const before = namesIn(older, 'required');
  const demanded = namesIn(newer, 'required').filter((name) => !before.includes(name));
  const [known, knows] = [objectAt(older, 'properties'), objectAt(newer, 'properties')];
  const forgotten = newer.additionalProperties === false ? Object.keys(known).filter((name) => !(name in knows)) : [];
  const values = Array.isArray(newer.enum)
    ? valuesIn(older, 'enum').filter((value) => !valuesIn(newer, 'enum').includes(value))
    : [];
  const types =
    valuesIn(newer, 'type').length === 0 ? [] : valuesIn(older, 'type').filter((type) => !valuesIn(newer, 'type').includes(type));
  return [
    ...demanded.map((name) => `${place}/${name} is demanded`),
    ...forgotten.map((name) => `${place}/${name} is not known any more`),
    ...values.map((value) => `${place}: ${value} is not taken any more`),
    ...types.map((type) => `${place}: the type ${type} is not taken any more`),
    ...('const' in newer && older.const !== newer.const ? [`${place}: only ${JSON.stringify(newer.const)} is taken`] : []),
    ...Object.entries(known).flatMap(([name, schema]) =>
      name in knows ? takesLess(schema, knows[name] ?? null, `${place}/${name}`) : [],
    ),
    ...(['items', 'additionalProperties'] as const).flatMap((below) =>
      below in older && below in newer ? takesLess(older[below] ?? null, newer[below] ?? null, `${place}/*`) : [],
    ),
    ...(['oneOf', 'anyOf', 'allOf'] as const).flatMap((below) => formsOf(older, newer, below, place)),
    ...Object.entries(objectAt(older, '$defs')).flatMap(([name, schema]) =>
      takesLess(schema, objectAt(newer, '$defs')[name] ?? null, `${place}#${name}`),
    ),
  ];
}

/** Compares the forms of a choice in their order: a form that is gone is no longer accepted. */
function formsOf(older: JsonObject, newer: JsonObject, below: 'oneOf' | 'anyOf' | 'allOf', place: string): string[] {
  const [before, now] = [older[below], newer[below]];
  if (!Array.isArray(before) || !Array.isArray(now)) return [];
  const fewer = below !== 'allOf' && now.length < before.length ? [`${place}: one of ${before.length} forms is gone`] : [];
  return [...fewer, ...before.flatMap((form, n) => (n < now.length ? takesLess(form, now[n] ?? null, `${place}(${n})`) : []))];
}

const objectAt = (schema: JsonObject, name: string): JsonObject => {
  const value = schema[name];
  return value !== undefined && isJsonObject(value) ? value : {};
};

const valuesIn = (schema: JsonObject, name: string): string[] => {
  const value = schema[name];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((each) => JSON.stringify(each));
};

const namesIn = (schema: JsonObject, name: string): string[] => {
  const value = schema[name];
  return Array.isArray(value) ? value.map(String) : [];
};
