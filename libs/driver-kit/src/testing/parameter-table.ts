import type { Json, JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';

/** Every field of a value, by its path; of a list, the fields of the first entry. */
export function fieldsOf(value: Json | undefined, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const below = `${at}/${key}`;
    return [...(Array.isArray(value) ? [] : [below]), ...fieldsOf(member as Json, below)];
  });
}

/** Sets what lies at a path of a value, or takes it away. */
export function setAt(value: JsonObject, path: string, to: Json | undefined): void {
  const tokens = path.split('/').slice(1);
  let here = value;
  for (const token of tokens.slice(0, -1)) here = here[token] as JsonObject;
  const last = tokens.at(-1)!;
  if (to === undefined) Reflect.deleteProperty(here, last);
  else here[last] = to;
}

/** What a schema has, by paths. */
export interface SchemaPaths {
  /** Every field that the schema names; of a list, the fields of the first entry. */
  fields: string[];
  required: string[];
  /** Fields that are no objects or lists. */
  leaves: string[];
}

/** Reads a JSON Schema of nested objects and lists. @param at what its paths begin with */
export function schemaPaths(schema: JsonObject, at = ''): SchemaPaths {
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const below = [
    ...(schema.items === undefined ? [] : [schemaPaths(schema.items as JsonObject, `${at}/0`)]),
    ...members.map(([name, member]) => schemaPaths(member, `${at}/${name}`)),
  ];
  const isLeaf = ([, member]: [string, JsonObject]): boolean => member.properties === undefined && member.items === undefined;
  return {
    fields: [...members.map(([name]) => `${at}/${name}`), ...below.flatMap(({ fields }) => fields)],
    required: [
      ...((schema.required ?? []) as string[]).map((name) => `${at}/${name}`),
      ...below.flatMap(({ required }) => required),
    ],
    leaves: [...members.filter(isLeaf).map(([name]) => `${at}/${name}`), ...below.flatMap(({ leaves }) => leaves)],
  };
}

/** The parameters of a driver, every field of which is to be refused where it is wrong. */
export interface ParameterTable {
  /** Where they lie in `additionalParams`. */
  param: string;
  /** Of `additionalParams`. */
  schema: JsonObject;
  /** `additionalParams` with every field that the schema knows, each right. */
  full: () => JsonObject;
  /** The smallest valid parameters: a malformed value is tried in them, where they have the field. */
  plain: () => JsonObject;
  /** Of the right type, and wrong all the same; paths from the parameters on. */
  malformed: readonly (readonly [path: string, value: Json])[];
  /** Fields that the schema knows and the driver never takes: {@link full} has none of them. */
  refused?: readonly string[];
  /** What else is wrong, by where it is told: `additionalParams`. */
  others?: readonly (readonly [path: string, how: string, params: JsonObject])[];
  /** Paths of all that is wrong, from `/additionalParams` on, as lcm-api finds it. */
  faults: (params: JsonObject) => string[];
}

/** Holds that each field is refused at its path, once, where it is missing, of a wrong type or malformed, and that the table leaves none out. */
export function parameterTableSuite(title: string, table: ParameterTable): void {
  const { param, schema, full, plain, malformed, refused = [], others = [], faults } = table;
  const { fields, required, leaves } = schemaPaths((schema.properties as JsonObject)[param] as JsonObject);
  const changed = (params: JsonObject, path: string, to: Json | undefined): JsonObject => {
    setAt(params[param] as JsonObject, path, to);
    return params;
  };
  const has = (params: JsonObject, path: string): boolean => fieldsOf(params[param]).includes(path.replaceAll(/\/\d+/g, '/0'));
  const wrong: (readonly [path: string, how: string, params: JsonObject])[] = [
    ['', 'is missing', {}],
    ['', 'is []', { [param]: [] }],
    ...required.map((path) => [path, 'is missing', changed(full(), path, undefined)] as const),
    ...fields.flatMap((path) =>
      [true, []].map((value) => [path, `is ${JSON.stringify(value)}`, changed(full(), path, value)] as const),
    ),
    ...malformed.map(([path, value]) => {
      const params = has(plain(), path) ? plain() : full();
      return [path, `is ${JSON.stringify(value).slice(0, 60)}`, changed(params, path, value)] as const;
    }),
    ...others,
  ];
  describe(`the parameters of ${title}`, () => {
    it('are right in the table’s examples, which have every field, each with a malformed value', () => {
      expect(faults(full())).toEqual([]);
      expect(faults(plain())).toEqual([]);
      expect([...fieldsOf(full()[param]), ...refused].sort()).toEqual([...fields].sort());
      const tried = new Set(malformed.map(([path]) => path));
      expect(leaves.filter((path) => !tried.has(path))).toEqual([]);
    });

    it.each(wrong)('are refused at %j, once, where it %s', (path, _how, params) => {
      expect(faults(params)).toEqual([`/additionalParams/${param}${path}`]);
    });
  });
}
