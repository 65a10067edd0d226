// Declares what is sent, once: of one declaration come the JSON Schema that a message is checked by and the type that the code reads.
// Each function makes the plain schema that stands in its name, with its keywords in this order; the type rides along for the compiler alone.

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

declare const given: unique symbol;

/** A JSON Schema, and the type of what passes it. */
export type Shape<T> = JsonSchema & { readonly [given]?: T };

/** A member of an object that may be left out. */
export interface Optional<T> {
  readonly optional: Shape<T>;
}

/** Members of an object, by their names. */
export type Members = Readonly<Record<string, Shape<unknown> | Optional<unknown>>>;

/** The type of what passes a shape. */
export type TypeOf<S> = S extends Optional<infer T> ? T : S extends Shape<infer T> ? T : never;

type Flat<T> = { [K in keyof T]: T[K] };

/** The type of an object of these members. */
export type OfMembers<M extends Members> = Flat<
  { -readonly [K in keyof M as M[K] extends Optional<unknown> ? never : K]: TypeOf<M[K]> } & {
    -readonly [K in keyof M as M[K] extends Optional<unknown> ? K : never]?: TypeOf<M[K]>;
  }
>;

/** A schema that no function here makes, with the type of what passes it: the writer answers for that the two agree. */
export const of = <T>(schema: JsonSchema): Shape<T> => schema as Shape<T>;

/** A member that may be left out. */
export const optional = <T>(shape: Shape<T>): Optional<T> => ({ optional: shape });

const NOT_CHECKED: JsonSchema = {};

/** A member that the code reads and the schema does not describe, unless that it is required: such as what older releases send otherwise. */
export const unchecked = <T>(): Shape<T> => NOT_CHECKED as Shape<T>;

interface TextBounds {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: 'date-time' | 'uuid';
}

/** Characters; the bounds are keywords of JSON Schema. */
export const text = (bounds: TextBounds = {}): Shape<string> => ({ type: 'string', ...bounds });

/** Characters, or null. */
export const textOrNull = (bounds: { maxLength?: number } = {}): Shape<string | null> => ({
  type: ['string', 'null'],
  ...bounds,
});

/** A whole number. */
export const integer = (bounds: { minimum?: number; maximum?: number } = {}): Shape<number> => ({ type: 'integer', ...bounds });

/** A number. */
export const number = (bounds: { minimum?: number } = {}): Shape<number> => ({ type: 'number', ...bounds });

/** True or false. */
export const flag: Shape<boolean> = { type: 'boolean' };

const always: unknown = true;

/** Whatever there is. As JSON Schema has it, its schema is no object but `true`. */
export const anything = always as Shape<unknown>;

/** This value alone. */
export const constant = <const T>(value: T): Shape<T> => ({ const: value });

/** One of these values. */
export const oneOf = <const T>(values: readonly T[]): Shape<T> => ({ enum: values });

/** A list; the keywords stand in the schema as they are given. */
export const list = <T>(of: { items: Shape<T>; minItems?: number; maxItems?: number }): Shape<T[]> => ({ type: 'array', ...of });

/** Values by names that are not known beforehand. */
export const mapOf = <T>(values: Shape<T>): Shape<Record<string, T>> => ({ type: 'object', additionalProperties: values });

/** An object that the schema says no more of. */
export const anObject = <T extends object>(): Shape<T> => ({ type: 'object' });

const isOptional = (member: Shape<unknown> | Optional<unknown>): member is Optional<unknown> => Object.hasOwn(member, 'optional');

function described(members: Members): { required?: string[]; properties?: Record<string, JsonSchema> } {
  const all = Object.entries(members).map(([name, member]) =>
    isOptional(member) ? { name, shape: member.optional, needed: false } : { name, shape: member, needed: true },
  );
  const required = all.filter(({ needed }) => needed).map(({ name }) => name);
  const checked = all.filter(({ shape }) => shape !== NOT_CHECKED);
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(checked.length === 0 ? {} : { properties: Object.fromEntries(checked.map(({ name, shape }) => [name, shape])) }),
  };
}

/** An object of these members; others pass, too. */
export const object = <M extends Members>(members: M): Shape<OfMembers<M>> => ({ type: 'object', ...described(members) });

/** An object of these members and no others. */
export const closed = <M extends Members>(members: M): Shape<OfMembers<M>> => ({
  type: 'object',
  additionalProperties: false,
  ...described(members),
});

/** A shape with its title. */
export const titled = <T>(title: string, shape: Shape<T>): Shape<T> => ({ title, ...shape });

/** An object without members. */
export const nothing: Shape<Record<string, never>> = { type: 'object', additionalProperties: false };
