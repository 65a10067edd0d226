import type { JsonObject, JsonSchema } from '@windlass/foundation';
import { MARKER_PARAMETER } from '@windlass/sol003';
import type { QueryParameter } from './route.js';

/** JSON Schema of an object of our own with at least these members; docs/contracts/rest-extensions.md says what they mean. */
export const anObject = (...required: readonly string[]): JsonObject => ({ type: 'object', required: [...required] });

/** JSON Schema of an object of our own that has all of these members, and may come to have others. */
export const whole = (properties: JsonObject): JsonObject => ({ type: 'object', required: Object.keys(properties), properties });

/** JSON Schema of a list. */
export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

/** JSON Schema of a shape, as a route's answer has it. */
export const schemaOf = (shape: JsonSchema): JsonObject => shape as JsonObject;

/** A time as RFC 3339 writes it. */
export const TIME: JsonObject = { type: 'string', format: 'date-time' };

/** The parameter that a next page is asked for with, of a list that is not SOL003's. */
export const MARKER: Readonly<Record<string, QueryParameter>> = {
  [MARKER_PARAMETER]: { meaning: 'from the Link header of the page before', schema: { type: 'string', maxLength: 255 } },
};

/** Keywords of a message that the API does not promise: such limits are between the services. */
const NOT_ANSWERED: ReadonlySet<string> = new Set(['$schema', 'title', 'minLength', 'maxLength', 'minItems', 'maxItems']);

const isText = (value: unknown): value is string => typeof value === 'string';

/** JSON Schema of an answer that is another service's message, as it came. As all answers, it may come to have more members. */
export function answerOf(message: JsonSchema): JsonObject {
  const { properties, items, ...schema } = message as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !NOT_ANSWERED.has(keyword) && !(keyword === 'additionalProperties' && value === false),
  );
  const { enum: values } = message;
  return {
    ...(Array.isArray(values) && values.every(isText) ? { type: 'string' } : {}),
    ...(Object.fromEntries(kept) as JsonObject),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, answerOf(member)])) }),
    ...(items === undefined ? {} : { items: answerOf(items) }),
  };
}
