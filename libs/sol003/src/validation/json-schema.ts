import type { Json, JsonObject } from '@windlass/foundation';
import { attributesOf, isMergePatch, type Attribute, type BodyClass, type Nested } from './attributes.js';

/** JSON Schemas by the names of their types. */
export type NamedSchemas = Map<string, JsonObject>;

/**
 * The JSON Schema (draft 2020-12) of a body's class, as far as one can tell its rules: `@Check`s on a whole object are not in it.
 * @param bodyClass whose rules are told
 * @param into gets the schemas of the class and of all that it consists of, by the standard's names of the types
 * @param reference the `$ref` of a type
 * @param nameOf what a type is called among others; the class's name without `Body` by default
 * @returns a reference to the class's own
 */
export function bodySchema(
  bodyClass: BodyClass,
  into: NamedSchemas,
  reference: (name: string) => string,
  nameOf: (name: string) => string = (name) => name,
): JsonObject {
  const name = nameOf(bodyClass.name.replace(/Body$/, ''));
  if (!into.has(name)) {
    const schema: JsonObject = {};
    into.set(name, schema); // before its members: a type may hold itself
    const attributes = [...attributesOf(bodyClass).values()];
    const required = attributes.filter((attribute) => attribute.required).map((attribute) => attribute.name);
    const nested = (of: BodyClass): JsonObject => bodySchema(of, into, reference, nameOf);
    const deletes = isMergePatch(bodyClass);
    Object.assign(schema, {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(
        attributes.map((attribute): [string, Json] => {
          const one = attributeSchema(attribute, nested);
          return [attribute.name, deletes && !attribute.required ? { anyOf: [one, { type: 'null' }] } : one];
        }),
      ),
    });
  }
  return { $ref: reference(name) };
}

function attributeSchema({ rule, nested }: Attribute, of: (bodyClass: BodyClass) => JsonObject): JsonObject {
  if (nested === undefined) return rule?.schema ?? {};
  return nestedSchema(nested, of(nested.of()));
}

function nestedSchema({ shape, min, max }: Nested, member: JsonObject): JsonObject {
  if (shape === 'object') return member;
  const limit = (name: string, value: number, none: number): JsonObject => (value === none ? {} : { [name]: value });
  if (shape === 'map') return { type: 'object', additionalProperties: member, ...limit('minProperties', min, 0) };
  return {
    type: 'array',
    items: member,
    ...limit('minItems', min, 0),
    ...limit('maxItems', max, Number.MAX_SAFE_INTEGER),
  };
}
