import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { InvariantError, type InvalidParam, type JsonSchema, type Shape } from '@windlass/foundation';

export type { JsonSchema } from '@windlass/foundation';

/** The data of a message, by the draft of JSON Schema that all messages follow. */
export const message = <T>(data: Shape<T>): Shape<T> => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...data });

/** What may be sent on a subject that is asked and answered. `Request` and `Reply` are the types of its data, which its shapes declare. */
export interface Contract<Request, Reply> {
  /** Stable and dotted, such as `saga.claim`; the envelope's type is `<name>.request` or `<name>.reply`. */
  readonly name: string;
  readonly subject: string;
  readonly request: DataRule<Request>;
  readonly reply: DataRule<Reply>;
}

/** What may be sent on a subject that is only told. */
export interface EventContract<Data> {
  readonly name: string;
  /** Absent where each message has its own subject, as events have by state. */
  readonly subject?: string;
  readonly data: DataRule<Data>;
}

/** A schema, compiled once, at the first check. */
export interface DataRule<T> {
  readonly schema: JsonSchema;
  /** The value itself, typed, or every place where it is wrong. */
  check(value: unknown): { ok: true; value: T } | { ok: false; wrong: InvalidParam[] };
}

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true });
// The package is CommonJS: its default export is the plugin itself in Node, and a namespace in TypeScript's eyes.
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);

const compiled = new WeakMap<JsonSchema, ValidateFunction>();

function validatorOf(schema: JsonSchema): ValidateFunction {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  return validate;
}

const wrongPlace = ({ instancePath, message, params }: ErrorObject): InvalidParam => ({
  path: instancePath,
  reason: [message ?? 'is wrong', extra(params)].filter((part) => part !== '').join(': '),
});

/** ajv says "must NOT have additional properties" and names the property apart from it. */
function extra(params: Record<string, unknown>): string {
  const name = params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues;
  return name === undefined ? '' : JSON.stringify(name);
}

/**
 * A rule from a schema. The schema is compiled at the first check: a service knows all contracts and speaks few of them, and compiling all was a
 * fifth of what its start took. That each can be compiled, a test holds (`documented-contracts.spec.ts`).
 */
export function dataRule<T>(schema: Shape<T>): DataRule<T> {
  return ruleOf(schema, () => validatorOf(schema));
}

function ruleOf<T>(schema: JsonSchema, compiledOne: () => ValidateFunction): DataRule<T> {
  let compiledOnce: ValidateFunction | undefined;
  return {
    schema,
    check: (value) => {
      const validate = (compiledOnce ??= compiledOne());
      return validate(value) ? { ok: true, value: value as T } : { ok: false, wrong: (validate.errors ?? []).map(wrongPlace) };
    },
  };
}

/**
 * Defines what is asked and answered on a subject. Where a schema is no valid JSON Schema, the first check throws an InvariantError.
 */
export function defineContract<Request, Reply>(definition: {
  name: string;
  subject: string;
  request: Shape<Request>;
  reply: Shape<Reply>;
}): Contract<Request, Reply> {
  const { name, subject, request, reply } = definition;
  return { name, subject, request: compile(name, request), reply: compile(name, reply) };
}

/**
 * Defines what is told on a subject, or on a family of them. Where the schema is no valid JSON Schema, the first check throws an InvariantError.
 */
export function defineEvent<Data>(definition: { name: string; subject?: string; data: Shape<Data> }): EventContract<Data> {
  const { name, subject, data } = definition;
  return { name, ...(subject === undefined ? {} : { subject }), data: compile(name, data) };
}

function compile<T>(name: string, schema: Shape<T>): DataRule<T> {
  return ruleOf(schema, () => {
    try {
      return validatorOf(schema);
    } catch (cause) {
      throw new InvariantError(`the schema of contract ${name} is wrong: ${String(cause)}`, { cause });
    }
  });
}
